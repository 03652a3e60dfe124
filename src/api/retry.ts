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

export type Decision = { retry: true; wait: number } | { retry: false; requestedWait?: number };

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

/** Whether to retry, and after how long; `requestedWait` is the wait that the server asked for when it exceeds the limit. */
export function decide(failure: Failure, state: RetryState): Decision {
  if (!isRetryable(failure)) return { retry: false };
  const asked = retryAfter(failure.retryAfter, state.now);
  if (asked !== undefined && state.waited + asked > state.maxWait) return { retry: false, requestedWait: asked };
  if (state.tries > state.retries) return { retry: false, ...(asked !== undefined && { requestedWait: asked }) };
  const wait = asked ?? backoff(state.tries, state.random, isOutage(failure.status) ? firstOutageWait : firstWait);
  return state.waited + wait > state.maxWait ? { retry: false } : { retry: true, wait };
}
