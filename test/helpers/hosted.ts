import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { contract } from "../../src/contract/index.ts";
import { type JsonSchema, replySchema } from "../../src/contract/openapi/json-schema.ts";
import { coreRoutes } from "../contract/core-routes.ts";

/** How a server without a route says so: as an error of the API, or as a web server's page. */
export type Miss = "json" | "html";

const api = "/api/v1";
const pattern = (route: string) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`);
const routes = coreRoutes.map(([route]) => pattern(route));
const schemas = Object.values(contract).flatMap(({ method, path, also = [], reply, media }) =>
  media === undefined ? [path, ...also].map((one) => [pattern(`${method} ${one}`), replySchema(reply)] as const) : [],
);

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

function miss(response: ServerResponse, how: Miss) {
  const meta = { requestId: "req_00000000000000000404", timestamp: "2026-03-01T12:00:00.000Z" };
  const html = "<!doctype html><title>404</title><h1>Not found</h1>";
  response.writeHead(404, { "content-type": how === "json" ? "application/json" : "text/html; charset=utf-8" });
  response.end(how === "json" ? JSON.stringify({ error: { code: "NOT_FOUND", message: "Not found" }, meta }) : html);
}

const unlisted = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "host"]);

interface Way {
  upstream: string;
  fields: readonly string[];
}

async function pass({ upstream, fields }: Way, route: string | undefined, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers).filter(([name]) => !unlisted.has(name)) as [string, string][];
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
  const reply = await fetch(upstream + request.url, { method: request.method!, headers, body, redirect: "manual" });
  const bytes = Buffer.from(await reply.arrayBuffer());
  response.writeHead(reply.status, Object.fromEntries([...reply.headers].filter(([name]) => !unlisted.has(name))));
  const schema = reply.ok && route !== undefined ? schemas.find(([one]) => one.test(route))?.[1] : undefined;
  if (!schema) return void response.end(bytes);
  const { data, ...rest } = JSON.parse(bytes.toString()) as { data: unknown };
  response.end(JSON.stringify({ data: plainly(data, schema, (schema.$defs ?? {}) as Defs, fields), ...rest }));
}

/** A server without any extension but these fields of replies: the real one behind a gate. */
export async function startHosted(upstream: string, how: Miss, fields: readonly string[] = []) {
  const way = { upstream, fields };
  const asked: string[] = [];
  let extended = false;
  const server = createServer((request, response) => {
    const path = request.url!.split("?")[0]!;
    const route = `${request.method} ${path.slice(api.length)}`;
    asked.push(route);
    if (extended) return void pass(way, undefined, request, response);
    if (!path.startsWith(api) || !routes.some((one) => one.test(route))) {
      request.resume();
      return miss(response, how);
    }
    void pass(way, route, request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** From now on the server has every extension. */
    extend() {
      extended = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
