import type { Deps } from "../deps.ts";
import { accounts, move } from "../domain/ledger.ts";
import { settleMinutes } from "../domain/subscriptions.ts";
import type { Query } from "../store/db.ts";
import { balance, post } from "../store/ledger.ts";

/** Minutes given by the operator, under the event key `admin_grant:{id}`; what the owner owes from a chargeback comes off. */
export async function grantMinutes(
  deps: Deps,
  tx: Query,
  grant: { id: string; ownerId: string; minutes: number; note?: string },
): Promise<void> {
  const postings = move(accounts.minutesIssued, accounts.minutes(grant.ownerId), grant.minutes);
  const { id, ownerId, note = "" } = grant;
  await post(
    tx,
    { eventKey: `admin_grant:${id}`, asset: "MIN", ownerId, postings, note },
    { now: deps.clock.now(), newId: deps.newId },
  );
  await settleOwedMinutes(deps, tx, ownerId, { id });
}

/** Call it after minutes came in. `id` names what brought them. */
export async function settleOwedMinutes(
  deps: Deps,
  tx: Query,
  ownerId: string,
  refs: { id: string; paymentId?: string },
): Promise<void> {
  const owed = await balance(tx, accounts.minutesReceivable(ownerId));
  const minutes = Math.min(owed, await balance(tx, accounts.minutes(ownerId)));
  if (minutes > 0) await post(tx, settleMinutes(ownerId, refs, minutes), { now: deps.clock.now(), newId: deps.newId });
}
