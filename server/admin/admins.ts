import type { Scope } from "../../src/contract/endpoint.ts";
import { requestFirstAddress } from "../accounts/email-change.ts";
import { requireConfirmation } from "../accounts/factors/confirmations.ts";
import * as keys from "../accounts/keys-store.ts";
import { createKey, createUser, noPassword, suspend } from "../accounts/service.ts";
import * as users from "../accounts/users-store.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import type { Principal } from "../http/call.ts";
import { conflict, forbidden, notFound } from "../lib/api-error.ts";

interface NewAdmin {
  name: string;
  scopes: readonly Scope[];
  email?: string | undefined;
}

/** An admin without a password, and without an email address until the link that was mailed to `email` is used: the key is the way in. */
export async function createAdmin(tx: Tx, { name, scopes, email: wanted }: NewAdmin) {
  const email = `admin-${tx.newId()}@playtest.invalid`;
  const user = await createUser(tx, { email, role: "admin", name, passwordHash: noPassword, verified: true });
  await users.update(tx, user.id, { admin_scopes: JSON.stringify(scopes) });
  const { row, secret } = await createKey(tx, { userId: user.id, name: "First key", scopes });
  if (wanted !== undefined) await requestFirstAddress(tx, user, wanted);
  return { user: (await users.find(tx, user.id))!, keyId: row.id, secret };
}

/** Ends all keys of an admin. Who revokes stays, so that somebody can always administrate. */
export async function revokeAdmin(tx: Tx, id: string, caller: Principal): Promise<users.UserRow> {
  const found = await users.find(tx, id);
  if (found?.role !== "admin") throw notFound();
  if (found.id === caller.userId) throw conflict("You cannot revoke your own account. Nothing was changed.");
  await keys.revokeAll(tx, found.id, tx.now);
  await suspend(tx, found);
  return (await users.find(tx, id))!;
}

/**
 * 403 unless the caller may change this account. Those of administrators are for administrators with every scope, who confirmed with
 * their second factor: a stolen key must not suspend those who could notice.
 */
export async function requireMayChange(q: ReadTx, caller: Principal, account: users.UserRow): Promise<void> {
  if (account.role !== "admin") return;
  if (!caller.scopes.has("admin"))
    throw forbidden(
      "Only an administrator with the scope `admin` can change the account of an administrator. Nothing was changed.",
    );
  await requireConfirmation(q, caller);
}
