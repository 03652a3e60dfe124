import type { Endpoint } from "../../src/contract/endpoint.ts";
import { canonicalJson } from "../../src/contract/text/canonical-json.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { isUniqueViolation } from "../database/port.ts";
import { ApiError } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import * as records from "./idempotency-store.ts";
import type { Rendered } from "./reply.ts";

/**
 * A request with an idempotency key. The reply is stored in the transaction of the effect, so a stored reply means that the effect was
 * committed, and an attempt that failed or crashed left no effect and can be repeated.
 */
export interface IdempotentRequest {
  /** The stored reply of the same request, if there is one. */
  find(q: ReadTx): Promise<Rendered | undefined>;
  /**
   * Stores the reply under the key, in the transaction of its effect. If another process stored one since `find`, the transaction fails
   * with an error for which `isDuplicate` returns true.
   */
  save(tx: Tx, rendered: Rendered, until?: number): Promise<void>;
  isDuplicate(error: unknown): boolean;
  /** Runs `work` after a duplicate in this process, if there is one, has finished. 409 if it takes longer than two seconds. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** How long (ms) a key is remembered. */
export const keepMs = 24 * 3_600_000;
const duplicateWaitMs = 2_000;

/** Thrown when another process stored a reply under the key in the meantime. */
class DuplicateRequest extends Error {
  override name = "DuplicateRequest";
}

/** 409 for a request whose duplicate has not finished yet. */
export const stillRunning = () =>
  new ApiError("CONFLICT", "The same request is still running. Try again in a second.", { headers: { "Retry-After": "1" } });

/** 422 for a key under which another request was made. */
export const otherRequest = () =>
  new ApiError("IDEMPOTENCY_MISMATCH", "This Idempotency-Key was used for a different request. Nothing was done; use a new key.");

export interface IdempotencyOptions {
  accountId: string;
  key: string;
  endpoint: Endpoint;
  /** The endpoint's main path with its ids, so that the short forms of a path count as the same request. */
  path: string;
  query: string;
  body: unknown;
  /** Whether the request contains `X-Payment` or `PAYMENT-SIGNATURE`. It then pays a stored 402 instead of replaying it. */
  pays: boolean;
}

export function createIdempotentRequest(deps: Deps, request: IdempotencyOptions): IdempotentRequest {
  const { accountId, key } = request;
  const fingerprint = sha256(`${request.endpoint.method} ${request.path}?${request.query}\n${canonicalJson(request.body ?? {})}`);
  const context = `idempotency ${accountId} ${key}`;
  const seal = (body: Uint8Array) => (request.endpoint.secretReply ? deps.secrets.sealBytes(body, context) : body);
  const open = (body: Uint8Array) => Buffer.from(request.endpoint.secretReply ? deps.secrets.openBytes(body, context) : body);

  /** The record that this request replaces: one that has expired, or a stored 402 that it pays. */
  let replaced: records.StoredReply | undefined;

  return {
    async find(q) {
      const stored = await records.find(q, accountId, key);
      replaced = stored;
      if (!stored || stored.expires_at <= q.now) return undefined;
      if (stored.fingerprint !== fingerprint) throw otherRequest();
      if (stored.status >= 400 && request.pays) return undefined;
      const headers = { ...(JSON.parse(stored.headers) as Record<string, string>), "Idempotency-Replayed": "true" };
      return { status: stored.status, headers, body: open(stored.body) };
    },
    async save(tx, rendered, until) {
      const now = tx.now;
      const body = seal(Buffer.from(rendered.body));
      const headers = JSON.stringify(rendered.headers);
      const reply = { fingerprint, status: rendered.status, headers, body, created_at: now, expires_at: until ?? now + keepMs };
      if (!replaced) records.insert(tx, accountId, key, reply);
      else if (!(await records.replace(tx, accountId, key, replaced, reply))) throw new DuplicateRequest();
    },
    isDuplicate: (error) => error instanceof DuplicateRequest || isUniqueViolation(error, "idempotency"),
    runExclusive: (work) => runExclusive(deps, `${accountId} ${key}`, work),
  };
}

async function runExclusive<T>(deps: Deps, name: string, work: () => Promise<T>): Promise<T> {
  const duplicates = deps.idempotent;
  const deadline = deps.clock.real() + duplicateWaitMs;
  for (let first = duplicates.get(name); first; first = duplicates.get(name)) {
    if (!(await settledWithin(first, deadline - deps.clock.real()))) throw stillRunning();
  }
  const mine = work();
  duplicates.set(name, mine);
  return mine.finally(() => duplicates.delete(name));
}

function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), Math.max(0, ms));
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(settled, settled);
  });
}
