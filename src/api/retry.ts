/** When to retry: pure functions, tested without a clock or a network. All times in milliseconds. */

export interface Failure {
  /** HTTP status; undefined when there was no response. */
  status?: number | undefined;
  /** The code of the problem that the response reports. */
  code?: string | undefined;
  retryAfter?: string | undefined;
}

export interface RetryState {
  /** Attempts made so far, at least 1. */
  tries: number;
  /** Those before this one whose reply said when to try again. */
  toldWhen: number;
  /** Retries allowed. */
  retries: number;
  /** Milliseconds waited so far for this request. */
  waited: number;
  /** Milliseconds that may be waited in total. */
  maxWait: number;
  now: number;
  /** From 0 up to, not including, 1. */
  random: number;
}

export type Decision = { retry: true; wait: number } | { retry: false; requestedWait?: number; waited?: number };

const firstWait = 250;
const maxBackoff = 8_000;

/** What a proxy answers while the server behind it restarts, which takes some seconds. */
const isOutage = (status: number | undefined) => status === 502 || status === 503 || status === 504;
const firstOutageWait = 2_000;

/** Milliseconds until the time in a `Retry-After` header (seconds or an HTTP date); undefined if it is neither. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Exponential backoff; half of it is random, so that many clients do not retry at the same moment. */
export const backoff = (tries: number, random: number, first = firstWait) => {
  const full = Math.min(maxBackoff, first * 2 ** (tries - 1));
  return Math.round(full / 2 + (full / 2) * random);
};

/** A 409 with `Retry-After` means that a duplicate of this request is still running. A 501, and what is not configured, stays so. */
function isRetryable({ status, code, retryAfter }: Failure) {
  if (code === "NOT_CONFIGURED") return false;
  if (status === undefined || status === 408 || status === 429) return true;
  if (status === 409) return retryAfter !== undefined;
  return status >= 500 && status !== 501;
}

/**
 * Whether to retry, and after how long. A server that says when to try again is there, and its failover takes longer than a few retries: only
 * `maxWait` limits how often it is asked, and such tries do not count as retries. With `retries` of 0 there are none. `requestedWait`: what the
 * server asked to wait, where that alone is too long; `waited`: how long it was waited for in vain.
 */
export function decide(failure: Failure, state: RetryState): Decision {
  if (!isRetryable(failure)) return { retry: false };
  const { tries, toldWhen, retries, waited, maxWait, now, random } = state;
  const asked = retryAfter(failure.retryAfter, now);
  const own = backoff(tries, random, isOutage(failure.status) ? firstOutageWait : firstWait);
  if (asked === undefined)
    return tries - toldWhen > retries || waited + own > maxWait ? { retry: false } : { retry: true, wait: own };
  if (retries === 0 || asked > maxWait) return { retry: false, requestedWait: asked };
  // Longer and longer, and never at once: a server that asks to wait no time would be asked without end.
  const wait = tries > retries ? Math.max(asked, firstWait, Math.min(own, maxWait - waited)) : asked;
  return waited + wait > maxWait ? { retry: false, waited } : { retry: true, wait };
}
