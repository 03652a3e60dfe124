import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  /** The URL of the database through this relay. */
  url: string;
  close(): Promise<void>;
}

/**
 * Stands between clients and a PostgreSQL server. For each connection `carry` says what passes between `near`, the client, and `far`, the
 * server; a client that ends its side ends that of the server.
 */
export async function startRelay(databaseUrl: string, carry: (near: Socket, far: Socket) => void, port = 0): Promise<Relay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("close", () => far.destroy());
    carry(near, far);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
