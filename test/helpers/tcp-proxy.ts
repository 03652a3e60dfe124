import * as http from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  url: string;
  /** Connections cut so far. */
  readonly cuts: number;
  /** Cuts every connection that is open. */
  drop(): void;
  /** Carries nothing more over the connections that are open, and says so to nobody. */
  freeze(): void;
  /** From now on cuts each connection once it has carried so many bytes from the server, wherever in a message that is. */
  cutAfter(bytes: number): void;
  /** Where new connections lead. */
  leadTo(baseUrl: string): void;
  close(): Promise<void>;
}

const listen = async (server: Server | http.Server) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A network between client and server that fails on command. */
export async function startTcpProxy(baseUrl: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let target = new URL(baseUrl);
  let limit = Number.POSITIVE_INFINITY;
  let cuts = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let carried = 0;
    keep(near);
    keep(far);
    near.pipe(far);
    near.on("close", () => far.destroy());
    far.on("close", () => near.end());
    far.on("data", (chunk: Buffer) => {
      const rest = limit - carried;
      carried += chunk.length;
      near.write(chunk.length > rest ? chunk.subarray(0, rest) : chunk);
      if (chunk.length < rest) return;
      cuts++;
      near.end();
      far.destroy();
    });
  });
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: await listen(server),
    get cuts() {
      return cuts;
    },
    drop,
    freeze() {
      for (const socket of sockets) socket.pause();
    },
    cutAfter(bytes) {
      limit = bytes;
    },
    leadTo(url) {
      target = new URL(url);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        drop();
      }),
  };
}

/** The server as a client sees it that offers no event stream: 404 there, all else as it is. */
export async function startProxyWithoutStream(
  baseUrl: string,
  pageSize?: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const agent = new http.Agent();
  const server = http.createServer((near, answer) => {
    if (near.url?.startsWith("/api/v1/events")) {
      const error = { code: "NOT_FOUND", message: "There is nothing here." };
      answer.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      return;
    }
    const { method, headers, url = "/" } = near;
    const path = pageSize === undefined ? url : url.replace(/\blimit=\d+/, `limit=${pageSize}`);
    const far = http.request(baseUrl + path, { method, headers, agent }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    near.pipe(far);
  });
  return {
    url: await listen(server),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
