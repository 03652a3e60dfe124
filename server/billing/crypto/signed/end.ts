import type { Deps } from "../../../app/deps.ts";
import type { Tx } from "../../../app/tx.ts";
import { mailUserAbout } from "../../../events/event-mails.ts";
import { type Job, RetryLater } from "../../../jobs/job.ts";
import { unsettledLetter } from "../../letters.ts";
import { bookFound, orLater } from "../scan-deposits.ts";
import * as crypto from "../store.ts";
import * as store from "./store.ts";

/**
 * The end of a signed payment whose outcome nobody told. Once the contract refuses it, the chain has the answer: the transaction that used
 * its nonce, or none.
 */

const minute = 60_000;
/** Longer before it was stored than a signature is valid: it can have been sent before by somebody else. */
const beforeMs = 15 * minute;

/** Asks for its end after it cannot be used any more. */
export const scheduleEnd = (tx: Tx, { id, valid_before: end }: Pick<store.SignedRow, "id" | "valid_before">) =>
  tx.schedule({ kind: "end-signed-payment", key: id, payload: { signedPaymentId: id }, runAt: end + minute });

/** Asks for the end of those that a server left without one. */
export const endAllSettling = (deps: Deps): Promise<void> =>
  deps.store.write(async (tx) => {
    for (const row of await store.listSettling(tx)) await scheduleEnd(tx, row);
  });

export async function endSignedPayment(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.signedPaymentId);
  const row = await deps.store.read((q) => store.byId(q, id));
  if (row?.status !== "settling") return;
  const { chain: name, payer, nonce, created_at: createdAt, valid_before: until } = row;
  const chain = deps.chains.get(name);
  const later = (reason: string) => new RetryLater(deps.clock.now() + minute, reason);
  if (!chain?.findNonce) throw later(`${name} is no longer configured`);
  const found = await orLater(deps, () => chain.findNonce!({ payer, nonce, since: createdAt - beforeMs, until }));
  if (found.is === "open") throw later(`the final blocks of ${name} do not reach beyond the payment yet`);
  if (found.is === "used") {
    await bookFound(deps, chain, { txHash: found.txHash, since: deps.clock.now() });
    const after = await deps.store.read((q) => store.byId(q, id));
    if (after?.status === "settling") throw later(`the transfer of ${found.txHash} is not recorded yet`);
    return;
  }
  await deps.store.write(async (tx) => {
    await release(tx, row);
    await job.done(tx);
  });
}

/** Nothing was paid, and nothing can be with this signature: the instructions can be paid again while they are open. */
async function release(tx: Tx, row: store.SignedRow): Promise<void> {
  const changed = await store.note(tx, row.id, { status: "failed", error: "expired unused", updated_at: tx.now });
  const quote = changed === 1 ? await crypto.find(tx, row.quote_id) : undefined;
  if (!quote) return;
  const about = { config: tx.config, paymentId: quote.payment_id, cents: quote.amount_cents };
  await mailUserAbout(tx, row.owner_id, "payment.failed", unsettledLetter(about));
}
