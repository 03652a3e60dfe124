/** A server that allows less is waited for when it refuses. */
const maxPauseMs = 60_000;

/**
 * Milliseconds that each of `parallel` senders waits to stay below the rate limit: 0 while enough requests remain, otherwise the
 * interval that the limit (in requests per minute) allows.
 */
export function pace(headers: Readonly<Record<string, string>>, parallel: number): number {
  const limit = Number(headers["x-ratelimit-limit"]);
  const remaining = Number(headers["x-ratelimit-remaining"]);
  if (!Number.isFinite(limit) || !Number.isFinite(remaining) || limit <= 0 || remaining > parallel * 2) return 0;
  return Math.min(maxPauseMs, Math.ceil((parallel * 60_000) / limit));
}
