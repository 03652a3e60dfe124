import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What happens to a request instead of its answer:
 * - a refusal: nothing is done, and this is the answer
 * - `cut`: the connection ends after so many bytes of the request were kept
 * - `lost`: it is done, and the connection ends before the answer
 * - `half`: it is done, and the connection ends within the answer
 * - `unread`: the connection is reset before anything of the request was read
 * - `idle`: it is answered, and the connection ends before the next request on it
 * - `ends`: it is done, and the connection ends at this place of the answer
 * - `keep`: only so many bytes of a part are kept, and 308 says so
 * - `without-range`: nothing of a part is kept, and 308 has no `Range`
 * - `forget`: the upload is forgotten
 *
 * `after` is called when so many bytes were kept, or when it is done and no answer is sent: a test ends the process that asked.
 */
export type Fault =
  | { status: number; reason?: string; headers?: Record<string, string> }
  | { cut: number; after?: () => void }
  | { after: () => void }
  | { keep: number }
  | { ends: ReplyPlace }
  | "lost"
  | "half"
  | "unread"
  | "idle"
  | "without-range"
  | "forget";

/** Where an answer ends, as the number of its bytes that are sent, by those of its head and its body. */
const replyPlaces = {
  "after the first byte": () => 1,
  "within the status line": () => "HTTP/1.1 2".length,
  "within the headers": (head: number) => Math.floor(head / 2),
  "before the last byte of the headers": (head: number) => head - 1,
  "after the headers": (head: number) => head,
  "after the first byte of its body": (head: number, body: number) => head + Math.min(1, body),
  "in the middle of its body": (head: number, body: number) => head + Math.floor(body / 2),
  "before the last byte of its body": (head: number, body: number) => head + Math.max(0, body - 1),
} as const;
export type ReplyPlace = keyof typeof replyPlaces;
export const everyReplyPlace = Object.keys(replyPlaces) as ReplyPlace[];

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  body: Buffer;
}

/** An upload that is not finished. */
export interface Upload {
  size: number;
  /** How many bytes of it are here. */
  bytes: number;
}

/**
 * A video platform on this machine, with what the loopback ones have in common: faults, which are given one after the other, and each
 * happens to the next request of its kind.
 */
export abstract class LoopbackPlatform<Kind extends string, Kept extends Upload> {
  url = "";
  readonly requests: Kind[] = [];
  readonly faults: { kind: Kind; fault: Fault }[] = [];
  readonly uploads = new Map<string, Kept>();
  /** The descriptions of all videos that were ever made here. */
  readonly made: string[] = [];
  /** Access tokens that are still good. */
  readonly accepted = new Set<string>();
  /** What happens to a request that no fault was given for. */
  by: (kind: Kind) => Fault | undefined | Promise<Fault | undefined> = () => undefined;

  protected abstract kindOf(request: IncomingMessage, url: URL): Kind | undefined;
  protected abstract isOpen(kind: Kind): boolean;
  /** The id of the upload that a request is about. */
  protected abstract uploadOf(url: URL): string;
  protected abstract refuse(response: ServerResponse, status: number, reason: string, headers?: Record<string, string>): void;
  protected abstract answer(kind: Kind, exchange: Exchange): unknown;

  fail(kind: Kind, ...faults: Fault[]): void {
    for (const fault of faults) this.faults.push({ kind, fault });
  }

  /** Everybody has to get a new access token. */
  expireTokens = () => this.accepted.clear();

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const kind = this.kindOf(request, url);
    if (!kind) return send(response, 404, {});
    this.requests.push(kind);
    const at = this.faults.findIndex((one) => one.kind === kind);
    const fault = at < 0 ? await this.by(kind) : this.faults.splice(at, 1)[0]!.fault;
    if (fault === "unread") return void request.socket.resetAndDestroy();
    if (typeof fault === "object" && "cut" in fault) return this.#cut(request, url, fault);
    const body = await bodyOf(request);
    if (typeof fault === "object" && "status" in fault)
      return this.refuse(response, fault.status, fault.reason ?? "backendError", fault.headers);
    if (!this.isOpen(kind) && !this.#knows(request)) return this.refuse(response, 401, "authError");
    if (fault === "forget") this.uploads.delete(this.uploadOf(url));
    if (fault === "without-range") return void response.writeHead(308).end();
    const taken = typeof fault === "object" && "keep" in fault ? body.subarray(0, fault.keep) : body;
    if (fault === "idle") response.once("finish", () => request.socket.destroySoon());
    if (typeof fault === "object" && "ends" in fault) return this.#end(kind, { request, response, url, body }, fault.ends);
    const isLast = typeof fault === "object" && "after" in fault;
    if (fault !== "lost" && fault !== "half" && !isLast)
      return void (await this.answer(kind, { request, response, url, body: taken }));
    await this.answer(kind, { request, response: quiet(response), url, body });
    if (isLast) fault.after?.();
    if (fault === "half") request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"');
    request.socket.destroySoon();
  }

  #knows = ({ headers }: IncomingMessage) => this.accepted.has(headers.authorization?.replace("Bearer ", "") ?? "");

  /** Does what was asked, and sends its answer as far as a place of it. */
  async #end(kind: Kind, exchange: Exchange, place: ReplyPlace): Promise<void> {
    const { socket } = exchange.request;
    const answered = new Promise<[head: string, body: string]>((resolve) => {
      const response = Object.assign(Object.create(exchange.response) as ServerResponse, {
        writeHead: (status: number, headers: Record<string, string | number> = {}) => ({
          end: (body = "") => resolve([headOf(status, { ...headers, "Content-Length": Buffer.byteLength(body) }), body]),
        }),
      });
      void this.answer(kind, { ...exchange, response });
    });
    const [head, body] = await answered;
    socket.write(Buffer.from(head + body).subarray(0, replyPlaces[place](head.length, Buffer.byteLength(body))));
    socket.destroySoon();
  }

  /** Keeps the first bytes of a part, and ends the connection. */
  async #cut(request: IncomingMessage, url: URL, { cut: bytes, after }: { cut: number; after?: () => void }): Promise<void> {
    const upload = this.uploads.get(this.uploadOf(url));
    const { socket } = request;
    let kept = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      kept += chunk.length;
      if (kept >= bytes) break;
    }
    if (upload) upload.bytes += Math.min(bytes, kept);
    after?.();
    socket.destroy();
  }
}

const headOf = (status: number, headers: Record<string, string | number>): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers)
      .filter(([name]) => status !== 204 || name !== "Content-Length")
      .map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A response of which nothing is sent. */
const quiet = (response: ServerResponse): ServerResponse =>
  Object.assign(Object.create(response) as ServerResponse, {
    writeHead: () => ({ end: () => {} }),
    end: () => {},
  });

/** Starts one that ends with the tests of this file. */
export async function startPlatform<P extends Pick<LoopbackPlatform<never, Upload>, "url" | "handle">>(platform: P): Promise<P> {
  const server = createServer(
    (request, response) => void platform.handle(request, response).catch(() => request.socket?.destroy()),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  platform.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Nothing keeps the process of the tests running.
  server.unref();
  return platform;
}
