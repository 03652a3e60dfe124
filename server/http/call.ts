import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyOut, DataOf, Endpoint, HeadersOut, ParamsOf, QueryOut, Scope } from "../../src/contract/endpoint.ts";
import type { Contract, Operation } from "../../src/contract/index.ts";
import type { Page, Position } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import type { Problem } from "../lib/problem.ts";
import type { Rendered } from "./reply.ts";

/** Who is calling: the account behind an API key. */
export interface Principal {
  userId: string;
  keyId: string;
  /** When the key ends, in milliseconds; null: when it is revoked. */
  keyExpiresAt: number | null;
  role: "game_owner" | "playtester" | "admin";
  scopes: ReadonlySet<Scope>;
  emailVerified: boolean;
}

/** A page of a list, with where it goes on. */
export class Listed<T> {
  readonly data: T;
  readonly next: Position | null;
  constructor(data: T, next: Position | null) {
    this.data = data;
    this.next = next;
  }
}

/** Turns `limit + 1` fetched rows into a page of `limit` and the place behind it. */
export function listed<Row extends { id: string; created_at: number }, T>(
  page: Page,
  rows: Row[],
  data: (rows: Row[]) => T,
): Listed<T> {
  const last = rows.length > page.limit ? rows[page.limit - 1] : undefined;
  return new Listed(data(rows.slice(0, page.limit)), last ? { at: last.created_at, id: last.id } : null);
}

/** The page asked for of a list that is not stored, in the list's own order. */
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

/** A refusal whose effects stay (the 402 that made an order): committed and remembered under its key until `until` (ms). */
export class CommittedProblem {
  readonly problem: Problem;
  readonly until: number;
  constructor(problem: Problem, until: number) {
    this.problem = problem;
    this.until = until;
  }
}

/** A reply that is not the JSON envelope: a file, a stream of events, an upload protocol's own answer. */
export class RawResponse {
  readonly write: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
  constructor(write: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void) {
    this.write = write;
  }
}

/** What a handler gets. Reads go through `read`, every change through one `commit`. */
export interface Call<E extends Endpoint> {
  params: ParamsOf<E>;
  query: QueryOut<E>;
  body: BodyOut<E>;
  /** The caller; throws on a route that needs no key. */
  principal: Principal;
  /** The caller where a key is optional. */
  maybePrincipal: Principal | undefined;
  headers: HeadersOut<E>;
  idempotencyKey: string | undefined;
  requestId: string;
  /** The page asked for. */
  page(): Page;
  /** See `listed`. */
  listed<Row extends { id: string; created_at: number }>(
    page: Page,
    rows: Row[],
    data: (rows: Row[]) => DataOf<E>,
  ): Listed<DataOf<E>>;
  read<T>(fn: (q: Query) => Promise<T>): Promise<T>;
  /** The effect, and the idempotency record of its reply, in one transaction. `fn` may run more than once. */
  commit(fn: (tx: Query) => Promise<DataOf<E> | CommittedProblem>): Promise<Committed<DataOf<E>>>;
}

export type Result<E extends Endpoint> =
  | (E["list"] extends true ? Listed<DataOf<E>> : DataOf<E>)
  | Committed<DataOf<E>>
  | RawResponse;
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Result<E>>;

/** One handler per endpoint of the contract: where one is missing, the server does not compile. */
export type Handlers = { [Op in Operation]: Handler<Contract[Op]> };

/** The handlers of some endpoints: what a room's `handlers.ts` returns. */
export type HandlersFor<Ops extends Operation> = Pick<Handlers, Ops>;
