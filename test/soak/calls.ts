import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { inputSchema, type JsonSchema } from "../../src/contract/openapi/json-schema.ts";
import type { Person } from "../helpers/factories.ts";
import type { RightfulRequest } from "../helpers/rightful-requests.ts";
import { damaged, hostileText, pick, type Random, valueFor } from "./values.ts";

/** A call of the API as it is sent. */
export interface Call {
  operation: Operation;
  method: string;
  /** Below `/api/v1`, with its query. */
  path: string;
  key: string | undefined;
  /** A string is sent as it is. */
  body: unknown;
  headers: Record<string, string>;
}

export const operations = Object.keys(contract) as Operation[];
const endpointOf = (operation: Operation): Endpoint => contract[operation];

interface Parts {
  ids?: Record<string, string> | undefined;
  query?: Record<string, string> | undefined;
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

function callOf(operation: Operation, { ids = {}, query, key, body, headers = {} }: Parts): Call {
  const { method, path } = endpointOf(operation);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? "none"));
  const search = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : "";
  return {
    operation,
    method,
    path: filled + search,
    key,
    body: body === undefined && method !== "GET" ? undefined : body,
    headers,
  };
}

/** Whoever may call an operation without a key sends none. */
const keyOf = (operation: Operation, { key }: Person) => (endpointOf(operation).access === "none" ? undefined : key);

export const rightfulCall = (operation: Operation, { as, ids, query, body, headers }: RightfulRequest): Call =>
  callOf(operation, { ids, query, body, headers, key: keyOf(operation, as) });

/** What generated calls are made of. */
export interface Pool {
  people: readonly Person[];
  /** Ids from replies. */
  ids: readonly string[];
}

const schemas = new Map<Operation, { body: JsonSchema | undefined; query: JsonSchema | undefined }>();
function schemasOf(operation: Operation) {
  const { body, query } = endpointOf(operation);
  const known = schemas.get(operation) ?? { body: body && inputSchema(body), query: query && inputSchema(query) };
  schemas.set(operation, known);
  return known;
}

function bodyFor(operation: Operation, random: Random, { ids }: Pool): unknown {
  const { body } = schemasOf(operation);
  return body && bounded(operation, valueFor(body, random, ids));
}

function queryFor(operation: Operation, random: Random, { ids }: Pool): Record<string, string> {
  const { query } = schemasOf(operation);
  const values = Object.entries((query ? valueFor(query, random, ids) : {}) as object);
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
}

/** Years of renewals and reminders are another test's. */
function bounded(operation: Operation, body: unknown): unknown {
  const { seconds } = (body ?? {}) as { seconds?: unknown };
  const isLong = operation === "advanceClock" && typeof seconds === "number" && seconds > 3600;
  return isLong ? { ...(body as object), seconds: 3600 } : body;
}

/** A call whose parts are all made from the contract. */
export function generatedCall(operation: Operation, random: Random, pool: Pool): Call {
  const names = [...endpointOf(operation).path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const ids = Object.fromEntries(names.map((name) => [name, pick(random, pool.ids)]));
  const parts = { ids, query: queryFor(operation, random, pool), body: bodyFor(operation, random, pool) };
  return callOf(operation, { ...parts, key: keyOf(operation, pick(random, pool.people)), headers: repeatable(random) });
}

/** Some calls share an idempotency key. */
const repeatable = (random: Random): Record<string, string> =>
  random(4) === 0 ? { "idempotency-key": `soak-${random(1000)}` } : {};

/** Headers of node cannot have every character. */
const headerText = (random: Random) =>
  hostileText(random)
    .replace(/[^\x20-\x7e]/g, "?")
    .trim();

const changes: readonly ((call: Call, random: Random, pool: Pool) => Partial<Call>)[] = [
  ({ operation, body }, random) => ({ body: bounded(operation, damaged(body ?? {}, random)) }),
  ({ operation }, random, pool) => ({ body: bodyFor(operation, random, pool) ?? { extra: 1 } }),
  (_, random) => ({
    body: pick(random, ["{", "[]", "null", '"text"', '{"a":1,"a":2}', "\ufeff{}", "{}{}", `${"[".repeat(200)}`]),
  }),
  ({ path }, random, { ids }) => ({ path: path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, () => pick(random, ids)) }),
  ({ path }, random) => ({
    path: path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, () => encodeURIComponent(wellFormed(hostileText(random)))),
  }),
  ({ operation, path }, random, pool) => {
    const query = queryFor(operation, random, pool);
    const name = pick(random, [...Object.keys(query), "limit", "cursor", "x"]);
    return { path: `${path.split("?")[0]}?${new URLSearchParams({ ...query, [name]: wellFormed(hostileText(random)) })}` };
  },
  (_, random, { people }) => ({ key: pick(random, people).key }),
  (_, random) => ({ key: pick(random, [undefined, "pt_sk_none", headerText(random)]) }),
  ({ headers }, random) => ({ headers: { ...headers, "idempotency-key": headerText(random) } }),
  ({ headers }, random) => ({
    headers: { ...headers, "content-type": pick(random, ["text/plain", "application/json; x", "a/b", ""]) },
  }),
  ({ headers }, random) => ({
    headers: { ...headers, [pick(random, ["x-payment", "accept", "range", "upload-length"])]: headerText(random) },
  }),
];

/** Half of a surrogate pair cannot be in a URL. */
const wellFormed = (text: string) => text.replace(/[\ud800-\udfff]/g, "?");

/** The call with one thing changed. */
export function changedCall(call: Call, random: Random, pool: Pool): Call {
  const changed = { ...call, ...pick(random, changes)(call, random, pool) };
  // A GET has no body.
  return call.method === "GET" ? { ...changed, body: undefined } : changed;
}
