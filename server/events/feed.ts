import type { Query, Store } from "../database/port.ts";
import * as events from "./store.ts";

/** Tells who follows an account's events that there may be new ones, from this process or from another. */
export interface EventFeed {
  /** Calls `wake` when the account's log grew; the function it returns ends that. */
  follow(accountId: string, wake: () => void): () => void;
  /** This transaction records an event of the account. */
  note(tx: Query, accountId: string): void;
  /** Wakes who follows the accounts noted in this transaction; call it after its commit. */
  committed(tx: Query): void;
}

const pollMs = 1_000;

/** Two queries a second for all who follow anything; commits of this process are announced at once. */
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
    // Numbered by another process before this one looked.
    for (const { account_id, last_seq } of await store.read((q) => events.lastSeqs(q, accounts))) {
      if (seen.get(account_id) === last_seq) continue;
      seen.set(account_id, last_seq);
      wake(account_id);
    }
  }

  function watch(): void {
    clearTimeout(timer);
    if (followers.size === 0) return;
    // A store that cannot serve just now is asked again a second later.
    timer = setTimeout(
      () =>
        poll()
          .catch(() => {})
          .finally(watch),
      pollMs,
    ).unref();
  }

  return {
    follow(accountId, follower) {
      const others = followers.get(accountId) ?? new Set();
      followers.set(accountId, others.add(follower));
      if (followers.size === 1 && others.size === 1) watch();
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
