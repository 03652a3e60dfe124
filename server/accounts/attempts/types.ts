/** The client of an attempt. */
export interface From {
  readonly address: string;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
}

/**
 * Slows down guessing of one account's password from many addresses: each attempt is delayed by a few seconds at most. The number of
 * attempts that wait is limited, separately for addresses that failed to sign in to this account recently and for all others, so that
 * addresses that guess do not keep out the owner, who signs in from another one.
 */
export interface Attempts {
  /** Waits by the number of recent failures. 429 when too many attempts are waiting already. Throws the signal's reason when it aborts. */
  pause(account: string, from: From): Promise<void>;
  failed(account: string, from: From): Promise<void>;
}

/** The failures that all processes on one database count together. */
export interface SharedFailures {
  count(account: string): Promise<number>;
  add(account: string): Promise<void>;
}
