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
  /** Callers with many requests that other processes have not been told of, and how many. Counts only if `shared`. */
  untold(): Map<string, number>;
  /** Notes that other processes were told of `told` requests, and that all processes together have counted `counted` until now. */
  exchanged(caller: string, told: number, counted: number): void;
}

interface Bucket {
  /** Below zero when the requests to all processes together were too many. */
  tokens: number;
  at: number;
  burst: number;
  /** Requests that other processes have not been told of. */
  untold: number;
  /** How many requests all processes had counted at the last exchange. Undefined before the first. */
  counted: number | undefined;
  /** Tokens that did not fit since the last exchange: requests to other processes may have used them. */
  spilled: number;
}

const maxBuckets = 50_000;
/** Other processes are told of a caller who used this part of a burst: of most callers hardly ever. */
const toldPart = 1 / 10;

/** `now` returns real time in milliseconds, because advancing a sandbox's clock must not refill buckets. */
export function createRateLimiter(now: () => number, shared: boolean, most = maxBuckets): RateLimiter {
  const buckets = new Map<string, Bucket>();
  /** Callers of whom other processes are to be told. */
  const waiting = new Set<string>();

  function bucketOf(caller: string, { burst }: Limit, at: number): Bucket {
    const known = buckets.get(caller);
    if (known) return known;
    // Limits memory: removes the oldest bucket. This only gives its caller a full bucket.
    if (buckets.size >= most) forget(buckets.keys().next().value!);
    const fresh = { tokens: burst, at, burst, untold: 0, counted: undefined, spilled: 0 };
    buckets.set(caller, fresh);
    return fresh;
  }

  function forget(caller: string): void {
    buckets.delete(caller);
    waiting.delete(caller);
  }

  function refill(bucket: Bucket, at: number, perMs: number): void {
    const tokens = bucket.tokens + Math.max(0, at - bucket.at) * perMs;
    bucket.at = at;
    bucket.tokens = Math.min(bucket.burst, tokens);
    bucket.spilled += tokens - bucket.tokens;
  }

  return {
    take(caller, limit) {
      const at = now();
      const perMs = limit.perMinute / 60_000;
      const bucket = bucketOf(caller, limit, at);
      refill(bucket, at, perMs);
      const allowed = bucket.tokens >= 1;
      if (allowed) {
        bucket.tokens -= 1;
        bucket.untold += 1;
        if (shared && bucket.untold >= bucket.burst * toldPart) waiting.add(caller);
      }
      return {
        allowed,
        limit: limit.perMinute,
        remaining: Math.max(0, Math.floor(bucket.tokens)),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
        resetSeconds: Math.ceil((limit.burst - bucket.tokens) / perMs / 1000),
      };
    },
    untold() {
      return new Map([...waiting].map((caller) => [caller, buckets.get(caller)!.untold]));
    },
    exchanged(caller, told, counted) {
      const bucket = buckets.get(caller);
      waiting.delete(caller);
      if (!bucket) return;
      // What the others counted before the first exchange may be long ago.
      const others = bucket.counted === undefined ? 0 : counted - told - bucket.counted;
      bucket.counted = counted;
      bucket.untold -= told;
      // Nobody waits for more than a burst because of what others allowed.
      bucket.tokens = Math.max(-bucket.burst, bucket.tokens - Math.max(0, others - bucket.spilled));
      bucket.spilled = 0;
    },
  };
}
