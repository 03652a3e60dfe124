import type { buildConnector, Client } from "undici";

const idleMs = 10_000;
const maxIdle = 4;

/** A kept connection, for one request at a time. */
export interface Line {
  client: Client;
  /** The connection has answered before: when it breaks now, that may be because the receiver had closed it as idle. */
  used: boolean;
}

export interface Lines {
  take(origin: string): Promise<Line>;
  /** After a whole answer: the next request to the origin may use it. */
  giveBack(origin: string, line: Line): void;
  close(): void;
}

/** Connections to each origin, kept for a while after use. Whoever takes one gives it back or destroys its client. */
export function createLines(connect: buildConnector.connector): Lines {
  const idle = new Map<string, Line[]>();

  function forget(origin: string, line: Line): void {
    const others = (idle.get(origin) ?? []).filter((other) => other !== line);
    if (others.length > 0) idle.set(origin, others);
    else idle.delete(origin);
  }

  async function open(origin: string): Promise<Line> {
    // Loaded by the first request, not by every start of a server.
    const { Client } = await import("undici");
    const options = { connect, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, headersTimeout: 0, bodyTimeout: 0 };
    const line: Line = { client: new Client(origin, options), used: false };
    line.client.on("connect", () => {
      line.used = false;
    });
    line.client.on("disconnect", () => {
      if (!idle.get(origin)?.includes(line)) return;
      forget(origin, line);
      void line.client.destroy();
    });
    return line;
  }

  return {
    async take(origin) {
      const line = idle.get(origin)?.at(-1);
      if (!line) return open(origin);
      forget(origin, line);
      return line;
    },
    giveBack(origin, line) {
      const others = idle.get(origin) ?? [];
      line.used = true;
      if (others.length < maxIdle) idle.set(origin, [...others, line]);
      else void line.client.destroy();
    },
    close() {
      for (const line of [...idle.values()].flat()) void line.client.destroy();
      idle.clear();
    },
  };
}
