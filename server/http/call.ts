import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyOut, DataOf, Endpoint, HeadersOut, ParamsOf, QueryOut, Scope } from "../../src/contract/endpoint.ts";
import type { Contract, Operation } from "../../src/contract/index.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import type { Trail } from "../audit/trail.ts";
import type { Page, Position } from "../database/keyset.ts";
import type { WriteOptions } from "../database/port.ts";
import type { ApiError } from "../lib/api-error.ts";
import type { Rendered } from "./reply.ts";

/** The authenticated caller of a request. */
export interface Principal {
  userId: string;
  keyId: string;
  /** The id of the browser session that is used instead of an API key; null for an API key. */
  sessionId: string | null;
  /** When the key expires, in milliseconds; null when it does not expire. */
  keyExpiresAt: number | null;
  role: "game_owner" | "playtester" | "admin";
  scopes: ReadonlySet<Scope>;
  /** The scopes that a key of the account can have. */
  accountScopes: readonly Scope[];
  emailVerified: boolean;
  /** Whether the key can change nothing. */
  readOnly: boolean;
  /** What the client may do that was connected by OAuth. Absent for API keys and sessions. */
  toolsets?: readonly Toolset[];
}

/** Whose key or session a request came with. */
export type Caller = Pick<Principal, "userId" | "keyId" | "sessionId">;

/** The client that sent a request. */
export interface Client {
  /** Its address, as trusted proxies report it. */
  readonly address: string;
  /** Its `User-Agent` header: printable ASCII, at most 200 characters. */
  readonly agent: string | null;
  /** Aborts when the client closes the connection before the response was sent. */
  readonly signal: AbortSignal;
}

/** A page of a list, with the position of its last item if there are more pages. */
export class Listed<T> {
  readonly data: T;
  readonly next: Position | null;
  constructor(data: T, next: Position | null) {
    this.data = data;
    this.next = next;
  }
}

/** Turns `limit + 1` fetched rows into a page of `limit` items and the position after it. */
export function listed<Row extends { id: string; created_at: number }, T>(
  page: Page,
  rows: Row[],
  data: (rows: Row[]) => T,
): Listed<T> {
  const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
  return new Listed(data(rows.slice(0, page.limit)), last ? { at: last.created_at, id: last.id } : null);
}

/** Returns the requested page of a list that is computed, not stored. Keeps the order of the list. */
export function listedFrom<Item extends { id: string }, T>(
  page: Page,
  all: readonly Item[],
  data: (items: Item[]) => T,
): Listed<T> {
  const start = page.after ? page.after.at + 1 : 0;
  const rows = all.slice(start, start + page.limit + 1).map((item, at) => ({ id: item.id, created_at: start + at, item }));
  return listed(page, rows, (shown) => data(shown.map(({ item }) => item)));
}

/** A reply that is durable: rendered and, with an idempotency key, stored in the transaction of its effect. */
export class Committed<T> {
  declare readonly data: T;
  readonly rendered: Rendered;
  constructor(rendered: Rendered) {
    this.rendered = rendered;
  }
}

/** The reply of an operation that found what it would have created: 200, not 201. */
export class Existing<T> {
  readonly data: T;
  constructor(data: T) {
    this.data = data;
  }
}

/** A reply with headers beyond those of every reply. */
export class WithHeaders<T> {
  readonly data: T;
  readonly headers: Readonly<Record<string, string>>;
  constructor(data: T, headers: Readonly<Record<string, string>>) {
    this.data = data;
    this.headers = headers;
  }
}

/** The reply of an operation that did not do what was asked but waits for a person: 202. It is not stored under an idempotency key. */
export class Accepted {
  readonly data: unknown;
  constructor(data: unknown) {
    this.data = data;
  }
}

/** An error whose effects are committed, such as the 402 that creates an order. It is stored under its idempotency key until `until` (ms). */
export class CommittedError {
  readonly problem: ApiError;
  readonly until: number;
  constructor(problem: ApiError, until: number) {
    this.problem = problem;
    this.until = until;
  }
}

/** A reply without the JSON envelope: a file, a stream of events, or a response of the upload protocol. */
export class RawResponse {
  readonly write: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
  constructor(write: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void) {
    this.write = write;
  }
}

export interface CommitOptions extends WriteOptions {
  /** `fn` itself requires that the caller's account is active, with `lockActive`. Otherwise `commit` does. */
  locksCaller?: boolean;
}

/** The argument of a handler. Handlers read with `read`, and make all changes in one `commit`. */
export interface Call<E extends Endpoint> {
  deps: Deps;
  params: ParamsOf<E>;
  query: QueryOut<E>;
  body: BodyOut<E>;
  /** The caller. Throws if the request has none, which is possible only on routes that require no API key. */
  principal: Principal;
  /** The caller, or undefined, for routes on which an API key is optional. */
  maybePrincipal: Principal | undefined;
  headers: HeadersOut<E>;
  idempotencyKey: string | undefined;
  requestId: string;
  client: Client;
  /** The requested page of a list. */
  page(): Page;
  /** See `listed`. */
  listed<Row extends { id: string; created_at: number }>(
    page: Page,
    rows: Row[],
    data: (rows: Row[]) => DataOf<E>,
  ): Listed<DataOf<E>>;
  read<T>(fn: (q: ReadTx) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` and stores the idempotency record and the audit entries, in one transaction. `fn` may run more than once. In an audited
   * operation without `:id` in its path, `fn` must call `trail.created` or `trail.changing` with what it changes.
   */
  commit(
    fn: (tx: Tx, trail: Trail) => Promise<DataOf<E> | Existing<DataOf<E>> | WithHeaders<DataOf<E>> | Accepted | CommittedError>,
    options?: CommitOptions,
  ): Promise<Committed<DataOf<E>>>;
}

export type Result<E extends Endpoint> =
  | (E["list"] extends true ? Listed<DataOf<E>> : DataOf<E>)
  | Committed<DataOf<E>>
  | RawResponse;
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Result<E>>;

/** One handler per endpoint of the contract. If one is missing, the server does not compile. */
export type Handlers = { [Op in Operation]: Handler<Contract[Op]> };
