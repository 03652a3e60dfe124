import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Which = (request: IncomingMessage) => boolean | Promise<boolean>;

/**
 * A way to a server on which the replies to some requests are lost: what was asked for happens all the same. Refused ones do not happen.
 * `spoil` changes headers of the replies.
 */
export async function startFlakyNetwork(
  target: string,
  isLost: Which,
  isRefused: Which = () => false,
  spoil: (name: string, value: string) => string = (_, value) => value,
) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (await isRefused(request)) return void response.writeHead(503).end();
    const headers = Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name));
    const reply = await fetch(target + request.url, {
      method: request.method!,
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await reply.arrayBuffer());
    if (await isLost(request)) return void response.socket?.destroy();
    const kept = [...reply.headers].filter(([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name));
    const spoiled = kept.map(([name, value]) => [name, spoil(name, value)]);
    response.writeHead(reply.status, Object.fromEntries(spoiled)).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
