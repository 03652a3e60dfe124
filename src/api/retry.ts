/** When to try again: pure, so that the nasty part needs neither clock nor network. All times in milliseconds. */

export interface Failure {
  /** HTTP status, or none when no reply came. */
  status?: number | undefined;
  retryAfter?: string | undefined;
}

export interface RetryState {
  /** Tries made so far, at least 1. */
  tries: number;
  /** Retries allowed. */
  retries: number;
  /** Milliseconds waited so far for this request. */
  waited: number;
  /** Milliseconds that may be waited in all. */
  maxWait: number;
  now: number;
  /** From 0 up to, not including, 1. */
  random: number;
}

export type Decision = { retry: true; wait: number } | { retry: false; askedWait?: number };

const first = 250;
const longest = 8_000;

/** Milliseconds a `Retry-After` header asks for: seconds, or an HTTP date. Neither: undefined. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Exponential, with half of it random so that many clients do not return together. */
export const backoff = (tries: number, random: number) => {
  const full = Math.min(longest, first * 2 ** (tries - 1));
  return Math.round(full / 2 + (full / 2) * random);
};

/** A 409 that says when to come back is a twin of this request, still running; a 501 stays one. */
function worthRetrying({ status, retryAfter }: Failure) {
  if (status === undefined || status === 408 || status === 429) return true;
  if (status === 409) return retryAfter !== undefined;
  return status >= 500 && status !== 501;
}

/** Whether to try again, and after how long; `askedWait` is what the server wanted beyond the limit. */
export function decide(failure: Failure, state: RetryState): Decision {
  if (!worthRetrying(failure)) return { retry: false };
  const asked = retryAfter(failure.retryAfter, state.now);
  if (asked !== undefined && state.waited + asked > state.maxWait) return { retry: false, askedWait: asked };
  if (state.tries > state.retries) return { retry: false, ...(asked !== undefined && { askedWait: asked }) };
  const wait = asked ?? backoff(state.tries, state.random);
  return state.waited + wait > state.maxWait ? { retry: false } : { retry: true, wait };
}
