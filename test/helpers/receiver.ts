import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  path: string;
}

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Connections made, also those over which nothing was sent. */
  connections: number;
  /** How it answers from now on. */
  answer(how: Answer): void;
  /** Resolves once `count` requests arrived. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export const status =
  (code: number, headers: Record<string, string> = {}, text = ""): Answer =>
  (response) =>
    response.writeHead(code, headers).end(text);

/** A webhook receiver on the loopback address that keeps what it gets. */
export async function startReceiver(how: Answer = status(200)): Promise<Receiver> {
  let answer = how;
  const waiting: { count: number; resolve(): void }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? "" });
    answer(response, request);
    for (const waiter of waiting) if (receiver.received.length >= waiter.count) waiter.resolve();
  });
  server.on("connection", (socket) => {
    receiver.connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    connections: 0,
    answer(next) {
      answer = next;
    },
    until: (count) =>
      receiver.received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
