import { createServer, request as forward, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy that does what one in an office does: CONNECT for TLS, forwarding for plain requests, names resolved at its own end. */
export interface TestProxy {
  port: number;
  /** What was asked, as `CONNECT name:443` or `GET http://name/path`. */
  asked: string[];
  /** Bytes that went through its tunnels, both ways. */
  bytes: number;
  /** Only for who shows this user and password. */
  credentials?: string;
  /** Answers every request with this status. */
  refuse?: number;
  close(): Promise<void>;
}

/** `ports` says which local port each name stands for. */
export async function startProxy(ports: Readonly<Record<string, number>>): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const proxy: TestProxy = { port: 0, asked: [], bytes: 0, close: async () => {} };

  function refusal({ headers }: IncomingMessage): number | undefined {
    const wanted = proxy.credentials && `Basic ${Buffer.from(proxy.credentials).toString("base64")}`;
    return proxy.refuse ?? (wanted && headers["proxy-authorization"] !== wanted ? 407 : undefined);
  }

  const server = createServer((request, response) => {
    proxy.asked.push(`${request.method} ${request.url}`);
    const refused = refusal(request);
    if (refused) return void response.writeHead(refused, { "content-type": "text/html" }).end("<h1>No.</h1>");
    const url = new URL(request.url!);
    const { "proxy-authorization": _, ...headers } = request.headers;
    const onward = forward(
      { host: "127.0.0.1", port: ports[url.hostname], method: request.method, path: url.pathname + url.search, headers },
      (reply) => reply.pipe(response.writeHead(reply.statusCode!, reply.headers)),
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (request, socket: Socket) => {
    proxy.asked.push(`CONNECT ${request.url}`);
    const refused = refusal(request) ?? (ports[request.url!.split(":")[0]!] ? undefined : 502);
    if (refused) return void socket.end(`HTTP/1.1 ${refused} No\r\nContent-Length: 0\r\n\r\n`);
    const target = connect(ports[request.url!.split(":")[0]!]!, "127.0.0.1", () =>
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
    );
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      one.on("data", (chunk: Buffer) => {
        proxy.bytes += chunk.length;
      });
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = (server.address() as AddressInfo).port;
  proxy.close = () =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return proxy;
}
