import { z } from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { idempotencyKey } from "../../src/contract/headers.ts";
import type { Deps } from "../app/deps.ts";
import type { Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { type Call, Committed, CommittedProblem, type Handler, Listed, listed, type Principal, RawResponse } from "./call.ts";
import { checkReply } from "./check.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { createIdempotentRequest, type IdempotentRequest } from "./idempotency.ts";
import { canonicalJson } from "./json.ts";
import { type Meta, type Rendered, renderData, renderProblem } from "./reply.ts";
import { validate } from "./validate.ts";

/** An operation of the contract and the handler that serves it. */
export interface ServedOperation {
  endpoint: Endpoint;
  handler: Handler<Endpoint>;
}

/** Headers as node hands them over. */
export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request for an operation, wherever it comes from: over HTTP, or from a page of this server. */
export interface OperationRequest {
  /** The caller, authenticated and authorized. Undefined only where the endpoint needs no API key. */
  principal: Principal | undefined;
  params: Readonly<Record<string, string>>;
  /** Query, body and headers as they were sent: the contract checks them here. */
  query: Readonly<Record<string, string>>;
  body: unknown;
  /** By their names in lower case. */
  headers: SentHeaders;
  /** Ignored where it has no meaning: on reads, uploads and requests without a caller. */
  idempotencyKey: string | undefined;
  requestId: string;
}

export type Execute = (operation: ServedOperation, request: OperationRequest) => Promise<Rendered | RawResponse>;

/**
 * Executes an operation: validates the request, replays the reply stored under its idempotency key or else runs the handler, and
 * renders the reply. It is the only way to a handler, so the API and the pages follow the same rules. A refusal is thrown as a Problem.
 */
export function createExecute(deps: Deps): Execute {
  return async ({ endpoint, handler }, request) => {
    const call = new OperationCall(deps, endpoint, request);
    const { idempotent } = call;
    const run = () => handler(call as Call<Endpoint>);
    const result = await (idempotent ? idempotent.runExclusive(() => replayOr(run, deps, idempotent)) : run());
    if (result instanceof RawResponse) return result;
    return result instanceof Committed ? result.rendered : call.render(result);
  };
}

async function replayOr<T>(run: () => Promise<T>, deps: Deps, idempotent: IdempotentRequest): Promise<T | Committed<unknown>> {
  const stored = await deps.store.read((q) => idempotent.find(q));
  return stored ? new Committed<unknown>(stored) : run();
}

const noFields = z.strictObject({});
const idempotency = z.object({ "Idempotency-Key": idempotencyKey.optional() });

function bodyOf({ method, media, body: schema }: Endpoint, sent: unknown): unknown {
  if (method === "GET" || media === "tus") return undefined;
  // Only a body that is not there counts as empty: `null` is a wrong type like any other.
  const parsed = validate(schema ?? noFields, sent === undefined ? {} : sent);
  return schema && parsed;
}

const noHeaders: Readonly<Record<string, unknown>> = Object.freeze({});

function headersOf({ headers: schema, media }: Endpoint, sent: SentHeaders): Readonly<Record<string, unknown>> {
  // The upload protocol checks its own.
  if (!schema || media === "tus") return noHeaders;
  const named = Object.keys(schema.shape).map((name) => [name, sent[name.toLowerCase()]]);
  return validate(schema, Object.fromEntries(named));
}

function idempotentRequestOf(
  deps: Deps,
  endpoint: Endpoint,
  request: OperationRequest,
  call: Pick<OperationCall, "body" | "headers">,
) {
  const { principal, params } = request;
  if (!principal || endpoint.method === "GET" || endpoint.media === "tus") return undefined;
  const { "Idempotency-Key": key } = validate(idempotency, { "Idempotency-Key": request.idempotencyKey });
  if (key === undefined) return undefined;
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name]!);
  const query = new URLSearchParams(request.query).toString();
  const pays = call.headers["X-Payment"] !== undefined;
  return createIdempotentRequest(deps, { accountId: principal.userId, key, endpoint, path, query, body: call.body, pays });
}

/** What a handler gets. A class, so that its functions are not created anew for each request. */
class OperationCall {
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly idempotent: IdempotentRequest | undefined;
  readonly #deps: Deps;
  readonly #endpoint: Endpoint;
  readonly #request: OperationRequest;

  constructor(deps: Deps, endpoint: Endpoint, request: OperationRequest) {
    this.#deps = deps;
    this.#endpoint = endpoint;
    this.#request = request;
    this.query = endpoint.query ? validate(endpoint.query, request.query) : {};
    this.headers = headersOf(endpoint, request.headers);
    this.body = bodyOf(endpoint, request.body);
    this.idempotent = idempotentRequestOf(deps, endpoint, request, this);
  }

  get params() {
    return this.#request.params;
  }
  get maybePrincipal() {
    return this.#request.principal;
  }
  get principal() {
    const { principal } = this.#request;
    if (!principal) throw new Error(`${this.#endpoint.path} was called without a principal`);
    return principal;
  }
  get idempotencyKey() {
    return this.#request.idempotencyKey;
  }
  get requestId() {
    return this.#request.requestId;
  }
  get listed() {
    return listed;
  }

  page(): Page {
    // Every list's query has a limit once it is parsed: the contract fills it in.
    const { limit, cursor } = this.query as { limit: number; cursor?: string };
    return { limit, after: cursor === undefined ? undefined : decodeCursor(this.#deps.secrets, this.#listName(), cursor) };
  }

  read<T>(fn: (q: Query) => Promise<T>): Promise<T> {
    return this.#deps.store.read(fn);
  }

  commit(fn: (tx: Query) => Promise<unknown>): Promise<Committed<never>> {
    const { idempotent } = this;
    return this.#deps.store.write(async (tx) => {
      const stored = await idempotent?.find(tx);
      if (stored) return new Committed<never>(stored);
      const outcome = await fn(tx);
      const refused = outcome instanceof CommittedProblem;
      const rendered = refused ? renderProblem(outcome.problem, this.#meta()) : this.render(outcome);
      await idempotent?.save(tx, rendered, refused ? outcome.until : undefined);
      return new Committed<never>(rendered);
    });
  }

  render(result: unknown): Rendered {
    const meta = this.#meta();
    const data = result instanceof Listed ? result.data : result;
    if (result instanceof Listed) {
      meta.cursor = result.next && encodeCursor(this.#deps.secrets, this.#listName(), result.next);
      meta.hasMore = result.next !== null;
    }
    if (this.#deps.config.strict) checkReply(this.#endpoint, data);
    return renderData(this.#endpoint.status, data, meta);
  }

  #meta(): Meta {
    return { requestId: this.#request.requestId, timestamp: new Date(this.#deps.clock.now()).toISOString() };
  }

  /** A cursor belongs to one list with one filter of one account, whichever form of the path and of its ids was asked for. */
  #listName(): string {
    const { limit: _limit, cursor: _cursor, ...filter } = this.query as Record<string, unknown>;
    return `${this.maybePrincipal?.userId} ${this.#endpoint.path} ${canonicalJson([this.params, filter])}`;
  }
}
