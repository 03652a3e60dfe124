import type { Query, Store } from "../database/port.ts";
import * as events from "./store.ts";

/** Notifies open event streams that an account may have new events, recorded by this process or by another. */
export interface EventFeed {
  /** Calls `wake` whenever the account may have new events. Returns a function that stops it. */
  follow(accountId: string, wake: () => void): () => void;
  /** Remembers that this transaction records an event of the account. */
  note(tx: Query, accountId: string): void;
  /** Wakes the followers of the accounts noted for this transaction. Call it after the commit. */
  committed(tx: Query): void;
}

const pollMs = 1_000;

/** Wakes followers at once for commits of this process. For those of other processes it polls: two queries per second for all followers. */
export function createFeed(store: Store): EventFeed {
  const followers = new Map<string, Set<() => void>>();
  const seen = new Map<string, number>();
  const noted = new WeakMap<Query, string[]>();
  let timer: NodeJS.Timeout | undefined;

  const wake = (accountId: string) => {
    for (const follower of followers.get(accountId) ?? []) follower();
  };

  async function poll(): Promise<void> {
    const accounts = [...followers.keys()];
    for (const accountId of await store.read((q) => events.unnumbered(q, accounts))) wake(accountId);
    // Events that another process recorded and numbered since the last poll.
    for (const { account_id, last_seq } of await store.read((q) => events.lastSeqs(q, accounts))) {
      if (seen.get(account_id) === last_seq) continue;
      seen.set(account_id, last_seq);
      wake(account_id);
    }
  }

  function schedulePoll(): void {
    clearTimeout(timer);
    if (followers.size === 0) return;
    // When the database is unavailable, the poll is retried a second later.
    timer = setTimeout(
      () =>
        poll()
          .catch(() => {})
          .finally(schedulePoll),
      pollMs,
    ).unref();
  }

  return {
    follow(accountId, follower) {
      const others = followers.get(accountId) ?? new Set();
      followers.set(accountId, others.add(follower));
      if (followers.size === 1 && others.size === 1) schedulePoll();
      return () => {
        others.delete(follower);
        if (others.size > 0) return;
        followers.delete(accountId);
        seen.delete(accountId);
      };
    },
    note: (tx, accountId) => void noted.set(tx, [...(noted.get(tx) ?? []), accountId]),
    committed(tx) {
      for (const accountId of noted.get(tx) ?? []) wake(accountId);
    },
  };
}
