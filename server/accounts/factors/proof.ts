import type { Deps } from "../../app/deps.ts";
import type { Client, Principal } from "../../http/call.ts";
import { forbidden, invalid } from "../../lib/api-error.ts";
import { checkPassword } from "../attempts/attempts.ts";
import { noPassword } from "../service.ts";
import * as sessions from "../sessions-store.ts";
import type { UserRow } from "../users-store.ts";

/** How long signing in proves who uses the browser. */
const freshMs = 15 * 60_000;

/** Whether the caller is a browser that signed in just now. */
export async function isFresh(deps: Deps, { sessionId, userId }: Principal): Promise<boolean> {
  if (sessionId === null) return false;
  const now = deps.clock.now();
  const live = await deps.store.read((q) => sessions.listForUser(q, userId, now));
  return live.some(({ id, created_at }) => id === sessionId && now - created_at < freshMs);
}

/**
 * 422 unless the caller knows the password of the account. Where it has none, a browser must have signed in just now; an API key is all
 * there is to prove then.
 */
export async function requirePassword(
  deps: Deps,
  user: UserRow,
  password: string | undefined,
  { principal, client }: { principal: Principal; client: Client },
): Promise<void> {
  if (user.password_hash === noPassword) {
    if (principal.sessionId === null || (await isFresh(deps, principal))) return;
    throw forbidden("Sign out and sign in again first: this takes a sign-in of the last 15 minutes. Nothing was changed.");
  }
  if (password === undefined) throw invalid("password", "is required");
  const attempt = { account: user.email_key, password, hash: user.password_hash };
  if (!(await checkPassword(deps, attempt, client))) throw invalid("password", "is not the current password");
}
