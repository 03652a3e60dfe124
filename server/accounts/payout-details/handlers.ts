import type { Contract } from "../../../src/contract/index.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Call, Handlers } from "../../http/call.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { checkPassword } from "../attempts/attempts.ts";
import { requireCode } from "../factors/codes.ts";
import { mailPayoutDetailsRemoved, mailPayoutDetailsSet } from "../security-mails.ts";
import { noPassword, requireUnchanged } from "../service.ts";
import * as users from "../users-store.ts";
import { isFault, parseDetails, payeeShown } from "./rules.ts";
import { open, save, waitsUntil } from "./service.ts";
import * as store from "./store.ts";

const view = (q: ReadTx, row: store.DetailsRow) => ({
  method: row.method,
  masked: row.masked,
  ...payeeShown(open(q, row)),
  changedAt: iso(row.changed_at),
  usableFrom: isoOrNull(waitsUntil(q, row.changed_at)),
});
const shown = (q: ReadTx, row: store.DetailsRow | undefined) => ({
  details: row ? view(q, row) : null,
  holdHours: q.config.payouts.detailsHoldHours,
});

/** The account of the caller. 422 unless the password and, where the account has a second factor, the code is right. */
async function provedAccount(call: Call<Contract["setPayoutDetails" | "removePayoutDetails"]>): Promise<users.UserRow> {
  const user = await call.read((q) => users.find(q, call.principal.userId));
  if (!user) throw notFound();
  if (user.password_hash === noPassword)
    throw invalid("password", "is not set for this account. Set one with a password reset first");
  const attempt = { account: user.email_key, password: call.body.password, hash: user.password_hash };
  if (!(await checkPassword(call.deps, attempt, call.client))) throw invalid("password", "is not the current password");
  await requireCode(call.deps, user.id, call.body.code, call);
  return user;
}

/** Where a playtester is paid. Who changes it proves again who they are, and the change is mailed. */
export const payoutDetails = {
  getPayoutDetails: (call) => call.read(async (q) => shown(q, await store.find(q, call.principal.userId))),

  async setPayoutDetails(call) {
    const { password: _, code: __, ...entered } = call.body;
    const details = parseDetails(entered);
    if (isFault(details)) throw invalid(details.field, details.message);
    const user = await provedAccount(call);
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      const saved = await save(tx, user.id, details);
      const until = waitsUntil(tx, saved.changed_at);
      await mailPayoutDetailsSet(tx, user.id, call.client, { ...saved, until });
      return shown(tx, saved);
    });
  },

  async removePayoutDetails(call) {
    const user = await provedAccount(call);
    return call.commit(async (tx, trail) => {
      await requireUnchanged(tx, user);
      await trail.changing(user.id);
      if ((await store.remove(tx, user.id)) === 0) throw conflict("There are no payout details to remove. Nothing was changed.");
      await mailPayoutDetailsRemoved(tx, user.id, call.client);
      return shown(tx, undefined);
    });
  },
} satisfies Partial<Handlers>;
