import { checkPassword } from "../accounts/attempts/attempts.ts";
import { requireCode } from "../accounts/factors/codes.ts";
import { isFresh } from "../accounts/factors/proof.ts";
import { open } from "../accounts/payout-details/service.ts";
import * as payoutDetails from "../accounts/payout-details/store.ts";
import { mailExported } from "../accounts/security-mails.ts";
import { requireUnchanged } from "../accounts/service.ts";
import * as users from "../accounts/users-store.ts";
import { requireMayChange } from "../admin/admins.ts";
import { accountView } from "../admin/views.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import type { Client, Handlers, Principal } from "../http/call.ts";
import { conflict, invalid, notFound } from "../lib/api-error.ts";
import { iso } from "../lib/time.ts";
import { exportOf } from "./export-store.ts";
import { deleteAccount, requireDeletable } from "./service.ts";

async function exported(q: ReadTx, userId: string) {
  const { account, records } = await exportOf(q, userId);
  return { exportedAt: iso(q.now), account, records };
}

async function accountOf(q: Query, id: string): Promise<users.UserRow> {
  const found = await users.find(q, id);
  if (!found) throw notFound();
  return found;
}

/** 422 unless the caller proves again who they are: by the password, or by a browser that signed in just now. */
async function requireProof(
  deps: Deps,
  user: users.UserRow,
  principal: Principal,
  password: string | undefined,
  client: Client,
): Promise<void> {
  if (password === undefined) {
    if (await isFresh(deps, principal)) return;
    throw invalid("password", "is required. An account without a password can set one by a password reset first");
  }
  const attempt = { account: user.email_key, password, hash: user.password_hash };
  if (!(await checkPassword(deps, attempt, client))) throw invalid("password", "is not the current password");
}

/** The data that an account holds, and the end of the account. */
export const personal = {
  exportAccount: (call) => call.read((q) => exported(q, call.principal.userId)),

  async exportAccountInFull(call) {
    const user = await call.read((q) => accountOf(q, call.principal.userId));
    await requireProof(call.deps, user, call.principal, call.body.password, call.client);
    await requireCode(call.deps, user.id, call.body.code, call);
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      const { records, ...rest } = await exported(tx, user.id);
      const details = await payoutDetails.find(tx, user.id);
      const inFull = (records.payoutDetails ?? []).map((row) => ({ ...row, ...(details && open(call.deps, details)) }));
      await mailExported(tx, user.id, call.client);
      return { ...rest, records: { ...records, payoutDetails: inFull } };
    });
  },

  async deleteAccount(call) {
    const user = await call.read((q) => accountOf(q, call.principal.userId));
    await requireProof(call.deps, user, call.principal, call.body.password, call.client);
    // Before the code, which is used up.
    await call.read((q) => requireDeletable(q, user, { byOperator: false }));
    await requireCode(call.deps, user.id, call.body.code, call);
    const deleted = await call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      await deleteAccount(tx, await accountOf(tx, user.id), { byOperator: false });
      return { message: "The account was deleted." };
    });
    await call.deps.onDeleted(call.deps, user.id);
    return deleted;
  },

  async deleteUser(call) {
    const deleted = await call.commit(async (tx) => {
      const user = await accountOf(tx, call.params.id);
      if (user.id === call.principal.userId) throw conflict("You cannot delete your own account here. Nothing was deleted.");
      await requireMayChange(tx, call.principal, user);
      await deleteAccount(tx, user, { byOperator: true });
      return { user: accountView(await accountOf(tx, user.id)) };
    });
    await call.deps.onDeleted(call.deps, call.params.id);
    return deleted;
  },
} satisfies Partial<Handlers>;
