import type { Socket } from "node:net";
import type { Client } from "undici";
import type { Connect } from "./connector.ts";
import { mendReplies } from "./reply-head.ts";

const idleMs = 10_000;
const maxIdle = 4;

/** A connection that can be reused, for one request at a time. */
export interface Connection {
  client: Client;
  /** Whether the connection was used before: if it breaks now, the receiver may have closed it because it was idle. */
  used: boolean;
  /** To be called before each request. */
  begin(): void;
  /** Closes it, even while it is still being opened. */
  end(): void;
}

export interface ConnectionPool {
  /** `fresh`: one that was not used before. */
  take(origin: string, options?: { fresh?: boolean | undefined }): Promise<Connection>;
  /** Returns a connection to the pool after a complete response. */
  release(origin: string, connection: Connection): void;
  /** Ends every connection, also those in use, whose requests then fail. */
  close(): void;
}

/** Keeps connections to each origin open for a while after use. A caller that takes one must return or end it. */
export function createConnectionPool(connect: Connect): ConnectionPool {
  const idle = new Map<string, Connection[]>();
  const all = new Set<Connection>();
  let closed = false;

  function forget(origin: string, connection: Connection): void {
    const others = (idle.get(origin) ?? []).filter((other) => other !== connection);
    if (others.length > 0) idle.set(origin, others);
    else idle.delete(origin);
  }

  async function open(origin: string): Promise<Connection> {
    // Loaded by the first request, not by every start of a server.
    const { Client } = await import("undici");
    if (closed) throw new Error("the server is stopping");
    let socket: Socket | undefined;
    let begin = () => {};
    const kept: typeof connect = (...args) => {
      socket = connect(...args);
      begin = mendReplies(socket);
      return socket;
    };
    const options = { connect: kept, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, headersTimeout: 0, bodyTimeout: 0 };
    const client = new Client(origin, options);
    const end = () => {
      all.delete(connection);
      void client.destroy();
      socket?.destroy();
    };
    const connection: Connection = { client, used: false, begin: () => begin(), end };
    all.add(connection);
    client.on("connect", () => {
      connection.used = false;
    });
    client.on("disconnect", () => {
      if (!idle.get(origin)?.includes(connection)) return;
      forget(origin, connection);
      connection.end();
    });
    return connection;
  }

  return {
    async take(origin, { fresh = false } = {}) {
      const connection = fresh ? undefined : idle.get(origin)?.at(-1);
      if (!connection) return open(origin);
      forget(origin, connection);
      return connection;
    },
    release(origin, connection) {
      const others = idle.get(origin) ?? [];
      connection.used = true;
      if (others.length < maxIdle) idle.set(origin, [...others, connection]);
      else connection.end();
    },
    close() {
      closed = true;
      for (const connection of all) connection.end();
      idle.clear();
    },
  };
}
