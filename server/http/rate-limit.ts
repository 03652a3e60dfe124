import type { Deps } from "../app/deps.ts";

/** A token bucket per caller, in this process: `perMinute` tokens a minute, at most `burst` saved up. */
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

/** The limiter of a server: the API and its pages count the same callers together. */
export function limiterOf(deps: Deps): RateLimiter {
  const known = limiters.get(deps) ?? createRateLimiter(deps.clock.real);
  limiters.set(deps, known);
  return known;
}

/** `now` is real time in milliseconds: a sandbox clock that jumps must not refill buckets. */
function createRateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function bucketOf(caller: string, limit: Limit, at: number) {
    const known = buckets.get(caller);
    if (known) return known;
    // Bounded memory: the oldest bucket goes. Losing one only gives its caller a full bucket.
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
