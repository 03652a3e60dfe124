import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { conflict, Problem } from "../lib/problem.ts";
import { sha256 } from "../lib/secrets.ts";
import * as records from "./idempotency-store.ts";
import { canonicalJson } from "./json.ts";
import type { Rendered } from "./reply.ts";

/**
 * A request with an idempotency key. The stored reply and the effect commit together, so a replay is always of something that
 * happened, and a failed or crashed attempt left nothing behind and may simply run again.
 */
export interface IdempotentRequest {
  /** The stored reply of the same request, if there is one. */
  find(q: Query): Promise<Rendered | undefined>;
  save(tx: Query, rendered: Rendered, until?: number): Promise<void>;
  /** Runs `work` unless a duplicate is running in this process: then waits for it up to two seconds, else 409. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

const keepMs = 24 * 3_600_000;
const duplicateWaitMs = 2_000;
const running = new WeakMap<Deps, Map<string, Promise<unknown>>>();

export interface IdempotencyOptions {
  accountId: string;
  key: string;
  endpoint: Endpoint;
  /** The endpoint's main path with its ids: the shorter forms of a path are the same request. */
  path: string;
  query: string;
  body: unknown;
  /** The request carries `X-Payment`: it pays a stored 402 instead of replaying it. */
  pays: boolean;
}

export function createIdempotentRequest(deps: Deps, request: IdempotencyOptions): IdempotentRequest {
  const { accountId, key } = request;
  const fingerprint = sha256(`${request.endpoint.method} ${request.path}?${request.query}\n${canonicalJson(request.body ?? {})}`);
  const context = `idempotency ${accountId} ${key}`;
  const seal = (body: Uint8Array) => (request.endpoint.secretReply ? deps.secrets.sealBytes(body, context) : body);
  const open = (body: Uint8Array) => Buffer.from(request.endpoint.secretReply ? deps.secrets.openBytes(body, context) : body);

  return {
    async find(q) {
      const stored = await records.find(q, accountId, key, deps.clock.now());
      if (!stored) return undefined;
      if (stored.fingerprint !== fingerprint)
        throw new Problem(
          "IDEMPOTENCY_MISMATCH",
          "This Idempotency-Key was used for a different request. Nothing was done; use a new key.",
        );
      if (stored.status >= 400 && request.pays) return undefined;
      const headers = { ...(JSON.parse(stored.headers) as Record<string, string>), "Idempotency-Replayed": "true" };
      return { status: stored.status, headers, body: open(stored.body) };
    },
    async save(tx, rendered, until) {
      const now = deps.clock.now();
      const body = seal(Buffer.from(rendered.body));
      const headers = JSON.stringify(rendered.headers);
      await records.save(
        tx,
        accountId,
        key,
        { fingerprint, status: rendered.status, headers, body, expires_at: until ?? now + keepMs },
        now,
      );
    },
    runExclusive: (work) => runExclusive(deps, `${accountId} ${key}`, work),
  };
}

async function runExclusive<T>(deps: Deps, name: string, work: () => Promise<T>): Promise<T> {
  const duplicates = running.get(deps) ?? new Map<string, Promise<unknown>>();
  running.set(deps, duplicates);
  const deadline = deps.clock.real() + duplicateWaitMs;
  for (let first = duplicates.get(name); first; first = duplicates.get(name)) {
    if (!(await settledWithin(first, deadline - deps.clock.real()))) {
      const busy = conflict("The same request is still running. Try again in a second.");
      throw new Problem("CONFLICT", busy.message, { headers: { "Retry-After": "1" } });
    }
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
