import type { Deps } from "../../app/deps.ts";
import { ApiError } from "../../lib/api-error.ts";
import * as wrongPasswords from "./store.ts";
import type { Attempts, From, SharedFailures } from "./types.ts";

interface Failures {
  count: number;
  at: number;
  /** The addresses of the failures. */
  addresses: Set<string>;
  /** How many attempts wait, from addresses that failed and from others. */
  waiting: { failed: number; other: number };
}

const free = 5;
const [firstDelayMs, longestDelayMs] = [250, 8_000];
/** The count of failures decreases by one in this time. */
const forgetMs = 60_000;
const mostFailures = 20;
const mostWaiting = 20;
const mostAccounts = 50_000;
const mostAddresses = 1_000;

/** Adds to a set that keeps only the latest. */
function addBounded(set: Set<string>, value: string, most: number): void {
  set.delete(value);
  if (set.size >= most) set.delete(set.values().next().value!);
  set.add(value);
}

/** How long an attempt is delayed after this many failures. */
export const delayMs = (failures: number): number =>
  failures < free ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (Math.floor(failures) - free));

interface Parts {
  /** Real time in milliseconds. */
  now(): number;
  /** Waits that many milliseconds, or until the signal aborts. */
  wait: Deps["wait"];
  /** Undefined where there is no other process. */
  shared?: SharedFailures | undefined;
}

export function createAttempts({ now, wait, shared }: Parts): Attempts {
  const accounts = new Map<string, Failures>();

  const none = (): Failures => ({ count: 0, at: now(), addresses: new Set(), waiting: { failed: 0, other: 0 } });

  function keep(account: string, known: Failures): void {
    // Limits memory: removes the account whose last failure is the oldest.
    accounts.delete(account);
    if (accounts.size >= mostAccounts) accounts.delete(accounts.keys().next().value!);
    accounts.set(account, known);
  }

  /** The recent failures of an account; undefined when there are none. */
  function recent(account: string): Failures | undefined {
    const known = accounts.get(account);
    if (!known) return undefined;
    const at = now();
    known.count = Math.max(0, known.count - Math.max(0, at - known.at) / forgetMs);
    known.at = at;
    if (known.count === 0 && known.waiting.failed + known.waiting.other === 0) accounts.delete(account);
    return known;
  }

  return {
    async pause(account, { address, signal }) {
      const counted = shared ? await shared.count(account) : 0;
      const known = recent(account) ?? none();
      const ms = delayMs(Math.max(known.count, counted));
      if (ms === 0) return;
      if (!accounts.has(account)) keep(account, known);
      const group = known.addresses.has(address) ? "failed" : "other";
      if (known.waiting[group] >= mostWaiting)
        throw new ApiError("RATE_LIMITED", "Too many attempts with a password are waiting. Try again in a few seconds.", {
          headers: { "Retry-After": String(longestDelayMs / 1000) },
        });
      known.waiting[group]++;
      try {
        await wait(ms, signal);
      } finally {
        known.waiting[group]--;
      }
    },
    async failed(account, { address }) {
      const known = recent(account) ?? none();
      addBounded(known.addresses, address, mostAddresses);
      known.count = Math.min(mostFailures, known.count + 1);
      keep(account, known);
      await shared?.add(account);
    },
  };
}

/** Row locks are enough: one statement. */
function sharedFailures({ store, secrets, clock }: Pick<Deps, "clock" | "store" | "secrets">): SharedFailures {
  const nameOf = (account: string) => secrets.mac("wrong passwords", account);
  const rule = () => ({ now: clock.real(), forgetMs, most: mostFailures });
  return {
    count: (account) => store.read((q) => wrongPasswords.count(q, nameOf(account), rule())),
    add: (account) =>
      store.write(async (tx) => void (await wrongPasswords.add(tx, nameOf(account), rule())), { isolation: "rows" }),
  };
}

/** The attempts on one server, which its processes count together. */
export const createSharedAttempts = (deps: Pick<Deps, "clock" | "wait" | "store" | "secrets">): Attempts =>
  createAttempts({
    now: deps.clock.real,
    wait: (ms, signal) => deps.wait(ms, signal),
    shared: deps.store.shared ? sharedFailures(deps) : undefined,
  });

/**
 * Checks a password against its hash. `account` is the key of the email address, whether or not an account has it, so that the delay
 * does not show which addresses have accounts.
 */
export async function checkPassword(
  deps: Deps,
  { account, password, hash }: { account: string; password: string; hash: string | undefined },
  from: From,
): Promise<boolean> {
  const { attempts } = deps;
  if (deps.config.limits.enabled) await attempts.pause(account, from);
  const ok = await deps.passwords.verify(password, hash, from.signal);
  if (!ok) await attempts.failed(account, from);
  return ok;
}
