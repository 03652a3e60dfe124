import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEachTest } from "./after-each.ts";

/** A reply of the scripted server: JSON by default, or whatever `answer` does with the connection. */
export interface Stub {
  /** `GET /games`, below `/api/v1`; a query is not compared. */
  on: string;
  status?: number;
  /** Becomes `{ data, meta }`. */
  data?: unknown;
  meta?: Record<string, unknown>;
  /** Becomes `{ error, meta }`. */
  error?: { code: string; message: string; details?: { field: string; message: string }[] };
  headers?: Record<string, string>;
  /** A body as it is, instead of the envelope. */
  body?: string | Buffer;
  /** `drop` closes the connection without a reply; `hang` never answers. */
  instead?: "drop" | "hang";
}

export interface Seen {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: unknown;
}

export interface StubServer {
  baseUrl: string;
  seen: Seen[];
  /** Resolves when so many requests have come. */
  arrived(count: number): Promise<void>;
}

const running: { close(): Promise<void>; left: Stub[]; unmatched: string[] }[] = [];

/** Unused and unmatched stubs fail the test that scripted them. */
afterEachTest(async () => {
  const problems: string[] = [];
  for (const { close, left, unmatched } of running.splice(0)) {
    await close();
    problems.push(...left.map(({ on }) => `never asked for: ${on}`), ...unmatched.map((one) => `not scripted: ${one}`));
  }
  if (problems.length > 0) throw new Error(problems.join("; "));
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? undefined : JSON.parse(text);
}

function answer(response: ServerResponse, stub: Stub) {
  if (stub.instead === "hang") return;
  if (stub.instead === "drop") return void response.socket?.destroy();
  const meta = { requestId: "req_00000000000000000001", timestamp: "2026-03-01T12:00:00.000Z", ...stub.meta };
  const envelope = stub.error ? { error: stub.error, meta } : { data: stub.data ?? {}, meta };
  response.writeHead(stub.status ?? 200, { "content-type": "application/json", ...stub.headers });
  response.end(stub.body ?? JSON.stringify(envelope));
}

/** A server that answers exactly what it was told, each stub once and in order for its route. */
export async function stubServer(stubs: readonly Stub[]): Promise<StubServer> {
  const left = [...stubs];
  const seen: Seen[] = [];
  const unmatched: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://stub");
    const path = url.pathname.replace(/^\/api\/v1/, "");
    const route = `${request.method} ${path}`;
    const { method = "", headers } = request;
    seen.push({ method, path, query: Object.fromEntries(url.searchParams), headers, body: await bodyOf(request) });
    for (const { count, resolve } of waiting) if (seen.length >= count) resolve();
    const index = left.findIndex(({ on }) => on === route);
    if (index >= 0) return answer(response, left.splice(index, 1)[0]!);
    unmatched.push(route);
    answer(response, { on: route, status: 500, error: { code: "INTERNAL_ERROR", message: `${route} is not scripted` } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const arrived = (count: number) =>
    new Promise<void>((resolve) => {
      if (seen.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  running.push({ close, left, unmatched });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, arrived };
}
