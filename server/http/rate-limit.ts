import type { Deps } from "../app/deps.ts";

/** A token bucket per caller, in this process. It gains `perMinute` tokens per minute and holds at most `burst`. */
export interface Limit {
  perMinute: number;
  burst: number;
}

export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until a request is allowed again; 0 when one is. */
  retryAfterSeconds: number;
  /** Seconds until the bucket is full. */
  resetSeconds: number;
}

export interface RateLimiter {
  take(caller: string, limit: Limit): Verdict;
}

const maxBuckets = 50_000;
const limiters = new WeakMap<Deps, RateLimiter>();

/** The rate limiter of a server. The API and the web pages share it, so a caller's requests to both are counted together. */
export function limiterOf(deps: Deps): RateLimiter {
  const known = limiters.get(deps) ?? createRateLimiter(deps.clock.real);
  limiters.set(deps, known);
  return known;
}

/** `now` returns real time in milliseconds, because advancing a sandbox's clock must not refill buckets. */
function createRateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function bucketOf(caller: string, limit: Limit, at: number) {
    const known = buckets.get(caller);
    if (known) return known;
    // Limits memory: removes the oldest bucket. This only gives its caller a full bucket.
    if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value!);
    const fresh = { tokens: limit.burst, at };
    buckets.set(caller, fresh);
    return fresh;
  }

  return {
    take(caller, limit) {
      const at = now();
      const perMs = limit.perMinute / 60_000;
      const bucket = bucketOf(caller, limit, at);
      bucket.tokens = Math.min(limit.burst, bucket.tokens + Math.max(0, at - bucket.at) * perMs);
      bucket.at = at;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return {
        allowed,
        limit: limit.perMinute,
        remaining: Math.floor(bucket.tokens),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
        resetSeconds: Math.ceil((limit.burst - bucket.tokens) / perMs / 1000),
      };
    },
  };
}
