import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { contract } from "../../src/contract/index.ts";
import { type JsonSchema, replySchema } from "../../src/contract/openapi/json-schema.ts";
import { coreFields, coreRoutes } from "../contract/core-routes.ts";

/** How a server without a route says so: as an error of the API, or as a web server's page. */
export type Miss = "json" | "html";

/** A request on its way; its path is below `/api/v1`. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A reply on its way; `raw` is sent as it is instead of `data` in its envelope. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  data?: unknown;
  meta?: unknown;
  raw?: string | Buffer;
}

/** What a test does to replies. `lose`: the connection ends after the request took effect. */
type Interfere = (asked: Asked, answer: Answer) => Answer | { lose: true } | undefined;

const api = "/api/v1";
const pattern = (route: string) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`);
const routes = coreRoutes.map(([route]) => pattern(route));
const fieldsOf = Object.entries(coreFields).map(([route, fields]) => [pattern(route), fields] as const);
const schemas = Object.values(contract).flatMap(({ method, path, also = [], reply, media }) =>
  media === undefined ? [path, ...also].map((one) => [pattern(`${method} ${one}`), replySchema(reply)] as const) : [],
);
/** The routes that repeat their reply for a repeated idempotency key. */
const replayed = ["POST /games", "POST /games/:gameId/playtests"].map(pattern);

type Defs = Record<string, JsonSchema>;

/** A reply without the fields that are extensions, but for those named. */
function plainly(value: unknown, schema: JsonSchema | undefined, defs: Defs, named: readonly string[]): unknown {
  if (schema?.$ref) return plainly(value, defs[schema.$ref.split("/").at(-1)!], defs, named);
  if (Array.isArray(value)) return value.map((one) => plainly(one, schema?.items as JsonSchema, defs, named));
  if (typeof value !== "object" || value === null) return value;
  const inner = [schema, ...((schema?.anyOf ?? []) as JsonSchema[])].map((one) =>
    one?.$ref ? defs[one.$ref.split("/").at(-1)!] : one,
  );
  const properties = inner.find((one) => one?.properties)?.properties as Record<string, JsonSchema> | undefined;
  const kept = Object.entries(value).filter(([name]) => named.includes(name) || properties?.[name]?.["x-extension"] !== true);
  return Object.fromEntries(kept.map(([name, one]) => [name, plainly(one, properties?.[name], defs, named)]));
}

/** What a request has that no specified one has. */
function extensionsOf(route: string, { headers, body }: Asked): string[] {
  const known = fieldsOf.find(([one]) => one.test(route))?.[1];
  const fields = Object.keys(body.length > 0 ? (JSON.parse(body.toString()) as object) : {});
  const proof = Object.keys(headers["x-payment"] ? (JSON.parse(headers["x-payment"] as string) as object) : {});
  return [
    ...fields.filter((name) => !known?.includes(name)).map((name) => `field ${name} of the body`),
    ...proof.filter((name) => !["txHash", "chain", "currency"].includes(name)).map((name) => `field ${name} of X-Payment`),
    ...((headers["x-payment-method"] ?? "x402") === "x402" ? [] : [`X-Payment-Method: ${headers["x-payment-method"]}`]),
    ...(headers["x-payment-from"] === undefined ? [] : ["header X-Payment-From"]),
  ].map((what) => `${route}: ${what}`);
}

function miss(how: Miss): Answer {
  const meta = { requestId: "req_00000000000000000404", timestamp: "2026-03-01T12:00:00.000Z" };
  if (how === "json") return { status: 404, raw: JSON.stringify({ error: { code: "NOT_FOUND", message: "Not found" }, meta }) };
  const raw = "<!doctype html><title>404</title><h1>Not found</h1>";
  return { status: 404, raw, headers: { "content-type": "text/html; charset=utf-8" } };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET", headers, url = "/" } = request;
  return { method, path: url.split("?")[0]!.replace(api, ""), headers, body: Buffer.concat(chunks) };
}

function send(response: ServerResponse, { status = 200, headers, data, meta = {}, raw }: Answer) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(raw ?? JSON.stringify({ data, meta }));
}

const unlisted = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "host"]);
const passed = (headers: Iterable<[string, unknown]>) =>
  Object.fromEntries([...headers].filter(([name, value]) => !unlisted.has(name) && value !== undefined)) as Record<
    string,
    string
  >;

/** The reply of the server itself. */
async function forward(
  upstream: string,
  url: string,
  { method, headers, body }: Asked,
): Promise<Required<Pick<Answer, "raw">> & Answer> {
  const given = { method, headers: passed(Object.entries(headers)), ...(body.length > 0 && { body: Uint8Array.from(body) }) };
  const reply = await fetch(upstream + url, { ...given, redirect: "manual" });
  return { status: reply.status, headers: passed(reply.headers), raw: Buffer.from(await reply.arrayBuffer()) };
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  async function close() {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Where links of replies lead: another host, as it is with any storage. It must never see a key. */
async function startFiles(upstream: string) {
  const keysSeen: string[] = [];
  const { baseUrl, close } = await listen(async (request, response) => {
    if (request.headers.authorization) keysSeen.push(request.headers.authorization);
    // Not every host knows ranges.
    delete request.headers.range;
    send(response, await forward(upstream, request.url!, await read(request)));
  });
  return { keysSeen, origin: baseUrl, close };
}

/**
 * A server that does only what the specification says, and has no extension but these fields of replies: the real one behind a gate. It
 * repeats replies on two routes, and keeps its files on another host.
 */
export async function startHosted(upstream: string, how: Miss = "json", fields: readonly string[] = []) {
  const files = await startFiles(upstream);
  const seen: Asked[] = [];
  /** Routes that were asked for and are not there, and what requests have that is not specified. */
  const [unknown, beyond]: [string[], string[]] = [[], []];
  /** `refuse` answers without asking the server; `interfere` changes what it answered. */
  const hooks: { refuse?: ((asked: Asked) => Answer | undefined) | undefined; interfere?: Interfere | undefined } = {};
  let extended = false;

  async function answer(asked: Asked, url: string): Promise<Answer> {
    const route = `${asked.method} ${asked.path}`;
    if (extended) return forward(upstream, url, asked);
    if (!url.startsWith(api) || !routes.some((one) => one.test(route))) {
      unknown.push(route);
      return miss(how);
    }
    beyond.push(...extensionsOf(route, asked));
    if (!replayed.some((one) => one.test(route))) delete asked.headers["idempotency-key"];
    // A header of the other server, which this one ignores.
    delete asked.headers["x-max-cost-cents"];
    const reply = await forward(upstream, url, asked);
    const schema = reply.status! < 300 ? schemas.find(([one]) => one.test(route))?.[1] : undefined;
    const { raw, ...rest } = reply;
    if (!schema) return reply;
    const { data, meta } = JSON.parse(raw.toString().replaceAll(upstream, files.origin)) as { data: unknown; meta: unknown };
    return { ...rest, data: plainly(data, schema, (schema.$defs ?? {}) as Defs, fields), meta };
  }

  const gate = await listen(async (request, response) => {
    const asked = await read(request);
    seen.push({ ...asked, headers: { ...asked.headers } });
    const plain = hooks.refuse?.(asked) ?? (await answer(asked, request.url!));
    const changed = hooks.interfere?.(asked, plain) ?? plain;
    if ("lose" in changed) return void response.socket?.destroy();
    send(response, changed);
  });
  async function close() {
    await gate.close();
    await files.close();
  }
  const extend = () => {
    extended = true;
  };
  /** `extend`: from now on the server has every extension. */
  return { baseUrl: gate.baseUrl, files, seen, unknown, beyond, hooks, extend, close };
}

export type Hosted = Awaited<ReturnType<typeof startHosted>>;
