import type { Deps } from "../../app/deps.ts";
import { ApiError } from "../../lib/api-error.ts";
import * as wrongPasswords from "./store.ts";

const minute = 60_000;

/** How many wrong guesses are free, and in which time (ms) one more is. */
const most = 100;
const forgetMs = 15 * minute;

const refused = () =>
  new ApiError(
    "RATE_LIMITED",
    "Too many wrong passwords were entered for this link, so it accepts no password for 15 minutes. Nothing was shown. Ask whoever sent the link for the right password, or for a new link.",
    { headers: { "Retry-After": String(forgetMs / 1000) } },
  );

/**
 * Bounds how often a password can be guessed that many people know and that protects one thing, so that nobody is locked out of an account:
 * 100 wrong guesses at once, then about 100 a day. Each guess counts before it is checked, so guesses at the same time do not get around it;
 * a right one is taken back. All processes on a database count together.
 */
export async function withinGuesses(deps: Deps, name: string, isRight: () => Promise<boolean>): Promise<boolean> {
  if (!deps.config.limits.enabled) return isRight();
  const { store, secrets, clock } = deps;
  const key = secrets.mac("guesses", name);
  const rule = () => ({ now: clock.real(), forgetMs, most });
  await store.write(async (tx) => {
    if ((await wrongPasswords.count(tx, key, rule())) > most - 1) throw refused();
    await wrongPasswords.add(tx, key, rule());
  });
  const right = await isRight();
  if (right) await store.write((tx) => wrongPasswords.takeBack(tx, key, forgetMs), { isolation: "rows" });
  return right;
}
