import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ByteRange, parseRange } from "../../http/range.ts";
import type { Lent } from "../blobs.ts";

export interface Offered {
  size: number;
  read(range: ByteRange): Promise<Readable | undefined>;
}

/** What is asked for at once: whoever jumps about in a file should not cause much more to be sent than is read. */
const blockBytes = 2 ** 20;

/** Answers programs on this machine, which read stored files by parts. The addresses are secret, and end with the loan. */
export class Relay {
  readonly #newToken: () => string;
  readonly #offers = new Map<string, Offered>();
  #server: Promise<Server> | undefined;

  constructor(newToken: () => string) {
    this.#newToken = newToken;
  }

  async offer(file: Offered): Promise<Lent> {
    const token = this.#newToken();
    this.#server ??= this.#listen();
    const server = await this.#server.catch((error) => {
      // The next offer tries again.
      this.#server = undefined;
      throw error;
    });
    this.#offers.set(token, file);
    const { port } = server.address() as AddressInfo;
    const close = async () => void this.#offers.delete(token);
    return { source: `http://127.0.0.1:${port}/${token}`, protocols: "http,tcp", close };
  }

  async close(): Promise<void> {
    const server = await this.#server;
    server?.close();
    server?.closeAllConnections();
  }

  async #listen(): Promise<Server> {
    const server = createServer((request, response) => {
      // A program that has what it wanted goes away.
      this.#answer(request, response).catch(() => response.destroy());
    });
    // It does not keep the process running.
    server.listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.#offers.get(request.url?.slice(1) ?? "");
    if (!file) return void response.writeHead(404).end();
    const range = parseRange(request.headers.range, file.size);
    if (range === "unsatisfiable") return void response.writeHead(416, { "Content-Range": `bytes */${file.size}` }).end();
    const { start, end } = range ?? { start: 0, end: file.size - 1 };
    response.writeHead(range ? 206 : 200, {
      "Accept-Ranges": "bytes",
      "Content-Length": end - start + 1,
      ...(range && { "Content-Range": `bytes ${start}-${end}/${file.size}` }),
    });
    await pipeline(blocks(file, start, end), response);
  }
}

async function* blocks({ read }: Offered, start: number, end: number): AsyncGenerator<Buffer> {
  for (let from = start; from <= end; from += blockBytes) {
    const block = await read({ start: from, end: Math.min(end, from + blockBytes - 1) });
    if (!block) throw new Error("the file was removed while a program read it");
    yield* block;
  }
}
