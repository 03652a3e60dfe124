import * as users from "../accounts/users-store.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import { emit } from "../events/emit.ts";
import { mailUserAbout } from "../events/event-mails.ts";
import { accounts, sentBackTransfer } from "../ledger/rules.ts";
import { post } from "../ledger/store.ts";
import { conflict, invalid, notFound } from "../lib/api-error.ts";
import { creditKept, type SuspenseDeposit, suspenseAccountOf } from "./crypto/release.ts";
import { centsOf } from "./crypto/rules.ts";
import type * as crypto from "./crypto/store.ts";
import { sentBackLetter } from "./letters.ts";
import type * as payments from "./store.ts";
import * as suspense from "./suspense-store.ts";

/** An operator's decision about an unmatched deposit. It is recorded, and can be made only once. */
interface Decision {
  /** The admin who decides. `note` is the reason. */
  adminId: string;
  note: string;
}

/**
 * Credits an unmatched deposit to an owner as a new payment: to `ownerId`, or else to the owner who proved to have sent it or whose payment
 * has its amount. Its value is the recorded one, unless `rate` (cents per whole coin) is given. 404 for an unknown deposit, 409 for one
 * that is resolved already, 422 if the owner is not known or was deleted.
 */
export async function resolveSuspense(
  tx: Tx,
  id: string,
  { adminId, note, ownerId: given, rate }: Decision & { ownerId?: string | undefined; rate?: number | undefined },
): Promise<payments.PaymentRow> {
  const entry = await findOpen(tx, id);
  const ownerId = await ownerOf(tx, given, entry);
  const cents = rate === undefined ? entry.kept_cents : centsOf(BigInt(entry.amount_atomic), rate, entry.currency);
  if (cents < 1) throw invalid("rateCents", "must make the deposit worth at least one cent");
  return creditKept(tx, entry, {
    ...{ ownerId, cents, resolved_by: adminId, resolution: note },
    description: "Playtest credit, assigned by the operator",
  });
}

/** Records that the operator sent the crypto back. 404 for an unknown deposit, 409 for one that is resolved already. */
export async function refundSuspense(tx: Tx, id: string, { adminId, note }: Decision): Promise<void> {
  const entry = await findOpen(tx, id);
  const { kept_cents: cents, owner_id: ownerId, payment_id: paymentId } = entry;
  const now = tx.now;
  const decision = { value_cents: cents, resolved_at: now, resolved_by: adminId, resolution: note };
  await suspense.transition(tx, entry, "refund", decision);
  const refs = { ...(ownerId !== null && { ownerId }), ...(paymentId !== null && { paymentId }), note };
  const to = accounts.crypto(entry.chain, entry.currency);
  await post(tx, sentBackTransfer({ id, suspense: suspenseAccountOf(entry), to, cents, refs }));
  if (ownerId === null || paymentId === null) return;
  await emit(tx, [{ id: ownerId, role: "game_owner" }], {
    kind: "payment.failed",
    data: { paymentId, amountCents: cents, status: "failed", provider: "x402" },
    notice: { amountCents: cents, sentBack: note },
  });
  await mailUserAbout(tx, ownerId, "payment.failed", sentBackLetter({ config: tx.config, paymentId, cents, why: note }));
}

async function findOpen(tx: Query, id: string): Promise<SuspenseDeposit> {
  const entry = await suspense.find(tx, id);
  if (!entry) throw notFound();
  if (!suspense.isIn(entry, "suspense")) throw decided(entry);
  return entry;
}

const decided = (entry: suspense.SuspenseRow) =>
  conflict(
    `This deposit was already ${entry.status === "refunded" ? "refunded" : "resolved"}${entry.resolution ? ` (${entry.resolution})` : ""}. Nothing was changed.`,
  );

/** Notes of deposits whose owner is known, because their amount is that of a payment. */
const known: readonly (crypto.DepositNote | null)[] = ["late", "again", "order_over", "frozen"];

/**
 * The owner to credit. Submitting a transaction does not prove who sent it: if neither the amount nor a proof shows whose it is, the
 * operator must choose the owner. 422 otherwise.
 */
async function ownerOf(tx: Query, given: string | undefined, entry: suspense.SuspenseRow): Promise<string> {
  const id = given ?? entry.proved_by ?? (known.includes(entry.note) ? entry.owner_id : null);
  if (id === null && entry.owner_id === null) throw invalid("userId", "is required, because this deposit belongs to no payment");
  if (id === null)
    throw invalid(
      "userId",
      `is required, because nothing proves whose deposit this is: account ${entry.owner_id} only named it. Ask for a proof, or pass the account to credit`,
    );
  const owner = await users.find(tx, id);
  if (owner?.role !== "game_owner") throw invalid("userId", "is not the id of a game owner");
  if (owner.deleted_at !== null)
    throw invalid("userId", `must be of another account: ${id} was deleted. Name another game owner, or refund the deposit`);
  return id;
}
