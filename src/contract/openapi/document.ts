import type { Endpoint } from "../endpoint.ts";
import { impliedErrors, KiB } from "../endpoint.ts";
import { type ErrorCode, errorStatuses } from "../errors.ts";
import { eventDelivery } from "../events/payloads.ts";
import { resources } from "../index.ts";
import { inputSchema, type JsonSchema, replySchema } from "./json-schema.ts";
import { headerParameters, headerRef, headers, parameters, schemaRef, security, sharedSchemas } from "./parts.ts";
import { tagDescriptions } from "./tags.ts";

type Json = Record<string, unknown>;
/** Components that operations share, collected on the way. */
interface Shared {
  schemas: Json;
  responses: Json;
}

interface Options {
  /** Address of the instance, without `/api/v1`. */
  baseUrl: string;
  version: string;
  /** Whether to describe the sandbox routes too. */
  sandbox: boolean;
}

const everyReply = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
const cryptoHeaders = ["X-Payment", "PAYMENT-REQUIRED", "PAYMENT-RESPONSE"];

/** Whether an operation can be paid in crypto. */
const takesCrypto = ({ headers }: Endpoint) => headers !== undefined && "X-Payment" in headers.shape;
const retryable = new Set([402, 409, 429, 503]);
type Tag = keyof typeof resources;
const tags = Object.entries(resources).flatMap(([tag, group]) =>
  Object.keys(group).map((operation) => [operation, tag as Tag] as const),
);
const tagOf = new Map<string, Tag>(tags);

const headerRefs = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, headerRef(name)]));
const json = (schema: JsonSchema | Json) => ({ "application/json": { schema } });

/** Moves the named parts of a schema to the document's components and points to them there. */
function hoist({ $defs, ...schema }: JsonSchema, shared: Shared): JsonSchema {
  for (const [name, part] of Object.entries($defs ?? {})) shared.schemas[name] ??= relink(part);
  return relink(schema);
}

const relink = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;

function pathParameters(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string", format: "uuid" } }));
}

function queryParameters({ query }: Endpoint) {
  if (!query) return [];
  const { properties = {}, required = [] } = inputSchema(query);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return { name, in: "query", required: required.includes(name), ...(description && { description }), schema };
  });
}

function headersOf(e: Endpoint) {
  const own = e.headers ? headerParameters(e.headers) : [];
  if (e.method === "GET" || e.access === "none" || e.media === "tus") return own;
  return [...own, { $ref: "#/components/parameters/Idempotency-Key" }];
}

function requestBody({ body, maxBodyBytes }: Endpoint, shared: Shared) {
  if (!body) return {};
  const { default: _, ...schema } = hoist(inputSchema(body), shared);
  const required = !body.safeParse(undefined).success;
  return { requestBody: { description: `At most ${maxBodyBytes / KiB} KiB.`, required, content: json(schema) } };
}

function content(e: Endpoint, shared: Shared, reply = e.reply): Json {
  if (e.media === "tus") return {};
  if (e.media === "binary") return { content: { "application/pdf": {} } };
  const data = hoist(replySchema(reply), shared);
  if (e.media === "document") return { content: json(data) };
  const envelope = {
    type: "object",
    required: ["data", "meta"],
    properties: { data, meta: schemaRef(e.list ? "ListMeta" : "Meta") },
  };
  const stream = e.media === "events" ? { "text/event-stream": { schema: { type: "string" } } } : {};
  return { content: { ...json(envelope), ...stream } };
}

function success(e: Endpoint, shared: Shared, reply?: Endpoint["reply"]) {
  const names = [...everyReply];
  if (e.media === "tus") names.push("Location", "Tus-Resumable");
  else if (e.method !== "GET" && e.access !== "none") names.push("Idempotency-Replayed");
  if (takesCrypto(e)) names.push("PAYMENT-RESPONSE");
  return { description: e.summary, headers: headerRefs(names), ...content(e, shared, reply) };
}

/** Adds the failed reply to the components unless an operation before did, and points to it. */
function problem(status: number, codes: ErrorCode[], e: Endpoint, shared: Shared) {
  const crypto = status === 402 && takesCrypto(e);
  const name = crypto ? `${codes.join(".")}.x402` : codes.join(".");
  shared.responses[name] ??= {
    description: codes.join(", "),
    headers: headerRefs([...everyReply, ...(retryable.has(status) ? ["Retry-After"] : []), ...(crypto ? cryptoHeaders : [])]),
    content: json({ allOf: [schemaRef("Problem"), { properties: { error: { properties: { code: { enum: codes } } } } }] }),
  };
  return { $ref: `#/components/responses/${name}` };
}

/** Statuses that HTTP and tus require for some problems: 408 when the body took too long, 410 for a replaced upload, 412 for another version. */
const ofProtocol = ({ media, method }: Endpoint): [number, ErrorCode][] => {
  if (media === "tus")
    return [
      [410, "NOT_FOUND"],
      [412, "BAD_REQUEST"],
    ];
  return method === "GET" ? [] : [[408, "BAD_REQUEST"]];
};

function responses(e: Endpoint, shared: Shared) {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...impliedErrors(e), ...e.errors])) {
    const status = errorStatuses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const failures = [...byStatus].map(([status, codes]) => [status, problem(status, codes, e, shared)] as const);
  const successes = [e.status, ...(e.existing ? [e.existing] : [])].map((status) => [status, success(e, shared)] as const);
  const waits = e.accepted ? [[202, success(e, shared, e.accepted)] as const] : [];
  const others = ofProtocol(e).map(([status, code]) => [status, problem(status, [code], e, shared)] as const);
  return Object.fromEntries([...successes, ...waits, ...failures, ...others]);
}

function operation(id: string, e: Endpoint, path: string, shared: Shared): Json {
  return {
    operationId: id,
    tags: [tagOf.get(id) ?? path.split("/")[1]],
    summary: e.summary,
    security: security(e),
    parameters: [...pathParameters(path), ...queryParameters(e), ...headersOf(e)],
    ...requestBody(e, shared),
    responses: responses(e, shared),
    "x-risk": e.risk,
    ...(e.extension && { "x-extension": true }),
  };
}

function eventWebhook(shared: Shared) {
  const named = {
    "X-WPG-Signature": "HMAC-SHA256 of `timestamp.body` with the webhook's secret, in hex.",
    "X-WPG-Timestamp": "Time of this attempt in Unix seconds.",
  };
  return {
    post: {
      operationId: "receiveEvent",
      security: [],
      summary: "Event sent to a webhook; also signed according to Standard Webhooks",
      parameters: Object.entries(named).map(([name, description]) => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
      requestBody: {
        required: true,
        content: json(hoist(replySchema(eventDelivery), shared)),
      },
      responses: { "2XX": { description: "Received" } },
    },
  };
}

/** The title of the document: it tells a playtest server from other programs. */
export const apiTitle = "Playtest marketplace API";

/**
 * The OpenAPI 3.1 document of the API. Other forms of a path are operations of their own, named after the first with
 * `Alias` at the end.
 */
export function openapi(contract: Record<string, Endpoint>, { baseUrl, version, sandbox }: Options) {
  const shared: Shared = { schemas: sharedSchemas(), responses: {} };
  const paths: Record<string, Json> = {};
  const add = (path: string, e: Endpoint, described: Json) => {
    const template = `/api/v1${path.replace(/:(\w+)/g, "{$1}")}`;
    paths[template] = { ...paths[template], [e.method.toLowerCase()]: described };
  };
  const served = Object.entries(contract).filter(([, e]) => sandbox || e.only !== "sandbox");
  for (const [id, e] of served) {
    const described = operation(id, e, e.path, shared);
    add(e.path, e, described);
    for (const [index, alias] of (e.also ?? []).entries())
      add(alias, e, { ...described, operationId: `${id}Alias${index || ""}`, "x-alias-of": id });
  }
  return {
    openapi: "3.1.1",
    info: { title: apiTitle, version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: baseUrl }],
    tags: [...new Set(served.map(([id]) => tagOf.get(id)))]
      .filter((tag) => tag !== undefined)
      .map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    webhooks: { event: eventWebhook(shared) },
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key; the names listed are the required scopes." },
      },
      headers,
      parameters,
      ...shared,
    },
  };
}
