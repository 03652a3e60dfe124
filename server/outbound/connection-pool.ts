import type { Socket } from "node:net";
import type { Client } from "undici";
import type { Connect } from "./connector.ts";

const idleMs = 10_000;
const maxIdle = 4;

/** A kept connection, for one request at a time. */
export interface Line {
  client: Client;
  /** The connection has answered before: when it breaks now, that may be because the receiver had closed it as idle. */
  used: boolean;
  /** Closes it, also while it is still being made. */
  end(): void;
}

export interface Lines {
  take(origin: string): Promise<Line>;
  /** After a whole answer: the next request to the origin may use it. */
  giveBack(origin: string, line: Line): void;
  close(): void;
}

/** Connections to each origin, kept for a while after use. Whoever takes one gives it back or ends it. */
export function createLines(connect: Connect): Lines {
  const idle = new Map<string, Line[]>();

  function forget(origin: string, line: Line): void {
    const others = (idle.get(origin) ?? []).filter((other) => other !== line);
    if (others.length > 0) idle.set(origin, others);
    else idle.delete(origin);
  }

  async function open(origin: string): Promise<Line> {
    // Loaded by the first request, not by every start of a server.
    const { Client } = await import("undici");
    let socket: Socket | undefined;
    const kept: typeof connect = (...args) => {
      socket = connect(...args);
      return socket;
    };
    const options = { connect: kept, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, headersTimeout: 0, bodyTimeout: 0 };
    const client = new Client(origin, options);
    const end = () => {
      void client.destroy();
      socket?.destroy();
    };
    const line: Line = { client, used: false, end };
    client.on("connect", () => {
      line.used = false;
    });
    client.on("disconnect", () => {
      if (!idle.get(origin)?.includes(line)) return;
      forget(origin, line);
      line.end();
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
      else line.end();
    },
    close() {
      for (const line of [...idle.values()].flat()) line.end();
      idle.clear();
    },
  };
}
