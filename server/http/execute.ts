import * as z from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { idempotencyKey } from "../../src/contract/headers.ts";
import { canonicalJson } from "../../src/contract/text/canonical-json.ts";
import { requireActive, requireLive } from "../accounts/authenticate.ts";
import { refuseBudgeted } from "../accounts/budgets/service.ts";
import { requireConfirmation } from "../accounts/factors/confirmations.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { type Actor, Trail } from "../audit/trail.ts";
import type { Page } from "../database/keyset.ts";
import {
  Accepted,
  type Call,
  type Client,
  type CommitOptions,
  Committed,
  CommittedError,
  Existing,
  type Handler,
  Listed,
  listed,
  type Principal,
  RawResponse,
  WithHeaders,
} from "./call.ts";
import { checkReply } from "./check.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { createIdempotentRequest, type IdempotentRequest, stillRunning } from "./idempotency.ts";
import { type Meta, type Rendered, renderData, renderError, withHeaders } from "./reply.ts";
import { validate } from "./validate.ts";

/** An operation of the contract and the handler that serves it. */
export interface ServedOperation {
  endpoint: Endpoint;
  handler: Handler<Endpoint>;
}

/** Headers as parsed by node. */
export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request for an operation, sent over HTTP or by a page of this server. */
export interface OperationRequest {
  /** The authenticated and authorized caller. Undefined only if the endpoint requires no API key. */
  principal: Principal | undefined;
  params: Readonly<Record<string, string>>;
  /** Query, body and headers as sent. They are validated when the operation is executed. */
  query: Readonly<Record<string, string>>;
  body: unknown;
  /** Headers by name in lower case. */
  headers: SentHeaders;
  /** Ignored for reads, uploads and requests without a caller. */
  idempotencyKey: string | undefined;
  requestId: string;
  client: Client;
}

export type Execute = (operation: ServedOperation, request: OperationRequest) => Promise<Rendered | RawResponse>;

/**
 * Executes an operation: validates the request, replays the reply stored under its idempotency key or else runs the handler, and
 * renders the reply. It is the only way to a handler, so the API and the pages follow the same rules. A refusal is thrown as an ApiError.
 */
export function createExecute(deps: Deps): Execute {
  return async ({ endpoint, handler }, request) => {
    // Before a stored reply is replayed: it may say what the caller no longer may know.
    const { principal } = request;
    if (endpoint.confirmed && principal) await deps.store.read((q) => requireConfirmation(q, principal));
    if (endpoint.refusesBudgeted && principal) await deps.store.read((q) => refuseBudgeted(q, principal));
    const call = new OperationCall(deps, endpoint, request);
    const { idempotent } = call;
    const run = () => handler(call as Call<Endpoint>);
    const result = await (idempotent ? idempotent.runExclusive(() => replayOr(run, deps, idempotent)) : run());
    // Changes that an audited operation makes outside `commit` would not be recorded.
    if (endpoint.audit && !(result instanceof Committed)) throw new Error(`${endpoint.path} is audited and did not commit`);
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
  // Only a missing body counts as empty. `null` is an invalid type.
  const parsed = validate(schema ?? noFields, sent === undefined ? {} : sent);
  return schema && parsed;
}

const noHeaders: Readonly<Record<string, unknown>> = Object.freeze({});

function headersOf({ headers: schema, media }: Endpoint, sent: SentHeaders): Readonly<Record<string, unknown>> {
  // The upload protocol validates its own headers.
  if (!schema || media === "tus") return noHeaders;
  const named: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) named[name] = sent[name.toLowerCase()];
  return validate(schema, named);
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
  const pays = call.headers["X-Payment"] !== undefined || call.headers["PAYMENT-SIGNATURE"] !== undefined;
  return createIdempotentRequest(deps, { accountId: principal.userId, key, endpoint, path, query, body: call.body, pays });
}

/** The sender of a request, for the audit log. */
function actorOf(principal: Principal | undefined, { client, requestId }: OperationRequest): Actor {
  const from = { address: client.address, request_id: requestId };
  if (!principal) return { actor_id: null, key_id: null, session_id: null, ...from };
  const { userId, keyId, sessionId } = principal;
  return { actor_id: userId, key_id: sessionId === null ? keyId : null, session_id: sessionId, ...from };
}

/** The call passed to a handler. A class, so that its functions are not created again for each request. */
class OperationCall {
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly idempotent: IdempotentRequest | undefined;
  readonly deps: Deps;
  readonly #endpoint: Endpoint;
  readonly #request: OperationRequest;

  constructor(deps: Deps, endpoint: Endpoint, request: OperationRequest) {
    this.deps = deps;
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
  get client() {
    return this.#request.client;
  }
  get listed() {
    return listed;
  }

  page(): Page {
    // The parsed query of a list always has a limit, because its schema has a default.
    const { limit, cursor } = this.query as { limit: number; cursor?: string };
    return { limit, after: cursor === undefined ? undefined : decodeCursor(this.deps.secrets, this.#listName(), cursor) };
  }

  read<T>(fn: (q: ReadTx) => Promise<T>): Promise<T> {
    // What a change depends on is read from the primary.
    return this.deps.store.read(fn, { replica: this.#endpoint.method === "GET" });
  }

  async commit(
    fn: (tx: Tx, trail: Trail) => Promise<unknown>,
    { locksCaller = false, ...options }: CommitOptions = {},
  ): Promise<Committed<never>> {
    const { idempotent } = this;
    const effect = async (tx: Tx) => {
      const [active, live] = [locksCaller ? undefined : this.#requireActive(tx), this.#requireLive(tx)];
      const trail = await this.#openTrail(tx);
      const outcome = await fn(tx, trail);
      await active;
      await live;
      if (this.#endpoint.audit) await trail.write();
      const refused = outcome instanceof CommittedError;
      const rendered = refused ? renderError(outcome.problem, this.#meta()) : this.render(outcome);
      // What became of the order since is answered to a repetition.
      const until = outcome instanceof Accepted ? 0 : refused ? outcome.until : undefined;
      await idempotent?.save(tx, rendered, until);
      return new Committed<never>(rendered);
    };
    try {
      return await this.deps.store.write(effect, options);
    } catch (error) {
      if (!idempotent?.isDuplicate(error)) throw error;
      const stored = await this.read((q) => idempotent.find(q));
      if (!stored) throw stillRunning();
      return new Committed<never>(stored);
    }
  }

  render(result: unknown): Rendered {
    const meta = this.#meta();
    if (result instanceof WithHeaders) return withHeaders(this.render(result.data), result.headers);
    const isWrapped = result instanceof Listed || result instanceof Existing || result instanceof Accepted;
    const data = isWrapped ? result.data : result;
    if (result instanceof Listed) {
      meta.cursor = result.next && encodeCursor(this.deps.secrets, this.#listName(), result.next);
      meta.hasMore = result.next !== null;
    }
    const { status, existing = status, accepted } = this.#endpoint;
    if (result instanceof Accepted && accepted) {
      if (this.deps.config.strict) checkReply({ ...this.#endpoint, reply: accepted }, data);
      return renderData(202, data, meta);
    }
    if (this.deps.config.strict) checkReply(this.#endpoint, data);
    return renderData(result instanceof Existing ? existing : status, data, meta);
  }

  /** Sent with the first statement of the change, so that it costs no round trip. */
  #requireActive(tx: Tx): Promise<unknown> {
    const active = this.maybePrincipal ? requireActive(tx, this.maybePrincipal.userId) : Promise.resolve();
    // The change may fail first.
    active.catch(() => {});
    return active;
  }

  /** A request that ends its own key or session is not refused for it: this is read before the change. */
  #requireLive(tx: Tx): Promise<unknown> {
    const { maybePrincipal: caller } = this;
    const live = caller ? requireLive(tx, caller, tx.now) : Promise.resolve();
    live.catch(() => {});
    return live;
  }

  async #openTrail(tx: Tx): Promise<Trail> {
    const { audit, path } = this.#endpoint;
    const actor = actorOf(this.maybePrincipal, this.#request);
    if (!audit) return new Trail(tx, actor);
    const body = (this.body ?? {}) as Record<string, unknown>;
    const given = audit.details.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]);
    const trail = new Trail(tx, actor, audit.action, Object.fromEntries(given));
    if (path.includes("/:id")) await trail.changing(this.params.id!);
    return trail;
  }

  #meta(): Meta {
    return { requestId: this.#request.requestId, timestamp: new Date(this.deps.clock.now()).toISOString() };
  }

  /** Identifies a list for cursors: the account, the main path, its ids and the filter. The short forms of a path are the same list. */
  #listName(): string {
    const { limit: _limit, cursor: _cursor, ...filter } = this.query as Record<string, unknown>;
    return `${this.maybePrincipal?.userId} ${this.#endpoint.path} ${canonicalJson([this.params, filter])}`;
  }
}
