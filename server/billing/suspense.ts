import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { emit } from "../events/emit.ts";
import { accounts, resolveTransfers, sentBackTransfer } from "../ledger/rules.ts";
import { balance, post, postAll } from "../ledger/store.ts";
import { conflict, invalid, notFound } from "../lib/problem.ts";
import { centsOf } from "./crypto/rules.ts";
import { emitPayment } from "./payments.ts";
import * as payments from "./store.ts";
import * as suspense from "./suspense-store.ts";

/** What an operator decides about an unmatched deposit: once, and on record. */
interface Decision {
  /** Who decided, and why. */
  adminId: string;
  note: string;
}

/**
 * The money becomes an owner's credit, as a payment of its own: the owner's it came for unless `ownerId` names one, at the
 * rate it was kept at unless `rate` gives another (cents per whole coin). 404, 409 once it is decided, 422 without an owner.
 */
export async function resolveSuspense(
  deps: Deps,
  tx: Query,
  id: string,
  { adminId, note, ownerId: given, rate }: Decision & { ownerId?: string | undefined; rate?: number | undefined },
): Promise<payments.PaymentRow> {
  const entry = await findOpen(tx, id);
  const ownerId = await ownerOf(tx, given ?? entry.owner_id);
  const cents = rate === undefined ? entry.kept_cents : centsOf(BigInt(entry.amount_atomic), rate, entry.currency);
  if (cents < 1) throw invalid("rateCents", "must make the deposit worth at least one cent");
  const now = deps.clock.now();
  const decision = { value_cents: cents, resolved_at: now, resolved_by: adminId, resolution: note };
  await suspense.transition(tx, entry, "credit", decision);
  const payment = paymentOf(deps, entry, ownerId, cents);
  await payments.insert(tx, payment);
  const owed = await balance(tx, accounts.receivable(ownerId));
  const transfers = resolveTransfers({
    ...{ id, ownerId, paymentId: payment.id, cents, note },
    ...{ aside: asideOf(entry), from: accounts.crypto(entry.chain, entry.currency), kept: entry.kept_cents },
    settles: Math.min(owed, cents),
  });
  await postAll(tx, transfers, { now, newId: deps.newId });
  await emitPayment(deps, tx, "payment.completed", payment);
  return payment;
}

/** The operator sent the crypto back. 404, and 409 once it is decided. */
export async function refundSuspense(deps: Deps, tx: Query, id: string, { adminId, note }: Decision): Promise<void> {
  const entry = await findOpen(tx, id);
  const { kept_cents: cents, owner_id: ownerId, payment_id: paymentId } = entry;
  const now = deps.clock.now();
  const decision = { value_cents: cents, resolved_at: now, resolved_by: adminId, resolution: note };
  await suspense.transition(tx, entry, "refund", decision);
  const refs = { ...(ownerId !== null && { ownerId }), ...(paymentId !== null && { paymentId }), note };
  const to = accounts.crypto(entry.chain, entry.currency);
  await post(tx, sentBackTransfer({ id, aside: asideOf(entry), to, cents, refs }), { now, newId: deps.newId });
  if (ownerId === null || paymentId === null) return;
  await emit(deps, tx, [{ id: ownerId, role: "game_owner" }], {
    kind: "payment.failed",
    data: { paymentId, amountCents: cents, status: "failed", provider: "x402" },
    notice: { amountCents: cents, sentBack: note },
  });
}

async function findOpen(tx: Query, id: string): Promise<suspense.SuspenseRow & { status: "suspense" }> {
  const entry = await suspense.find(tx, id);
  if (!entry) throw notFound();
  if (!suspense.isIn(entry, "suspense")) throw decided(entry);
  return entry;
}

const decided = (entry: suspense.SuspenseRow) =>
  conflict(
    `This deposit was already ${entry.status === "refunded" ? "refunded" : "resolved"}${entry.resolution ? ` (${entry.resolution})` : ""}. Nothing was changed.`,
  );

async function ownerOf(tx: Query, id: string | null): Promise<string> {
  if (id === null) throw invalid("userId", "is required, because this deposit belongs to no payment");
  const owner = await users.find(tx, id);
  if (owner?.role !== "game_owner") throw invalid("userId", "is not the id of a game owner");
  return id;
}

const asideOf = ({ payment_id, chain, tx_hash, tx_index }: suspense.SuspenseRow) =>
  accounts.suspense(payment_id ?? `crypto:${chain}:${tx_hash}:${tx_index}`);

function paymentOf(deps: Deps, entry: suspense.SuspenseRow, ownerId: string, cents: number): payments.PaymentRow {
  const now = deps.clock.now();
  return {
    ...payments.bare,
    id: deps.newId(),
    owner_id: ownerId,
    amount_cents: cents,
    status: "completed",
    provider: "x402",
    external_id: entry.tx_hash,
    purpose: "credit",
    description: "Playtest credit, assigned by the operator",
    completed_at: now,
    created_at: now,
    updated_at: now,
  };
}
