import type { BudgetLeft } from "../../src/contract/accounts/budgets.ts";
import type { Order } from "../../src/contract/order-body.ts";
import { plural } from "../../src/contract/text/plural.ts";
import { lockActive } from "../accounts/authenticate.ts";
import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import type { Purchase } from "../billing/budgets/rules.ts";
import { bindingOn, needsApproval, plan, release, take } from "../billing/budgets/service.ts";
import { requireUnfrozen } from "../billing/cards/freezes.ts";
import { creditLowLetter } from "../billing/letters.ts";
import * as payments from "../billing/store.ts";
import { isUniqueViolation, type Query } from "../database/port.ts";
import { fullRow } from "../database/rows.ts";
import { emit } from "../events/emit.ts";
import { mailUserAbout } from "../events/event-mails.ts";
import type { OrderedGame } from "../games/store.ts";
import type { Caller } from "../http/call.ts";
import { accounts, orderTransfer } from "../ledger/rules.ts";
import * as ledger from "../ledger/store.ts";
import { ApiError, conflict, invalid } from "../lib/api-error.ts";
import { queueIndexing } from "../search/queue.ts";
import { announceApproval } from "./approvals.ts";
import { ownGame } from "./find.ts";
import { requireGroup } from "./groups/membership.ts";
import { storeKeys } from "./keys/service.ts";
import * as approvals from "./order-approvals/store.ts";
import { orderedColumns } from "./order-columns.ts";
import { noPrice, priceOf, type SlotPrice, type Terms } from "./pricing.ts";
import { insufficient, refuseAbove } from "./refusals.ts";
import { choosePaymentMethod, type Funds, type Need, type PaymentMethod, type Settlement } from "./rules.ts";
import { bookableText, closesAt, isBookable, payBy } from "./schedule/rules.ts";
import * as slots from "./slots/store.ts";
import * as playtests from "./store.ts";

export interface Priced {
  price: SlotPrice;
  need: Need;
  funds: Funds;
}

/** What an order costs and what the owner has for it. */
export async function priceOrder(q: ReadTx, ownerId: string, order: Terms & { quantity: number }): Promise<Priced> {
  const price = q.config.payments.enabled ? priceOf(order, q.config.pricing) : noPrice;
  const [credit, minutes] = [accounts.credit(ownerId), accounts.minutes(ownerId)];
  const balances = await ledger.balances(q, [credit, minutes]);
  const funds = { balanceCents: balances.get(credit) ?? 0, minutesAvailable: balances.get(minutes) ?? 0 };
  return { price, need: { totalCents: price.costCents * order.quantity, minutesNeeded: price.minutes * order.quantity }, funds };
}

/** What an unpaid order costs, at the price of the time it was placed, and what the owner has for it. */
export async function pricePlaytest(q: ReadTx, playtest: playtests.PlaytestRow): Promise<Priced> {
  const terms = {
    visibility: playtest.visibility,
    durationMinutes: playtest.duration_minutes,
    playerCount: playtest.player_count,
  };
  const { price, funds } = await priceOrder(q, playtest.owner_id, { ...terms, quantity: playtest.quantity });
  const agreed = { ...price, costCents: playtest.cost_per_slot_cents, payoutCents: playtest.payout_cents };
  return {
    price: agreed,
    funds,
    need: { totalCents: agreed.costCents * playtest.quantity, minutesNeeded: price.minutes * playtest.quantity },
  };
}

export interface Placed {
  playtest: playtests.PlaytestRow;
  settlement: ReturnType<typeof choosePaymentMethod>;
  priced: Priced;
  /** The payment's id. Undefined for a free or unpaid order. */
  paymentId: string | undefined;
  /** What is left of the budgets that counted it. */
  budgets: BudgetLeft[];
}

/** What an order takes from budgets: what is paid or due, or the minutes in its place, and its slots. */
export const takenAs = (by: Settlement["by"], need: Need, quantity: number): Purchase => ({
  cents: by === "hours" || by === "free" ? 0 : need.totalCents,
  minutes: by === "hours" ? need.minutesNeeded : 0,
  slots: quantity,
  worthCents: need.totalCents,
});

export interface Ordering {
  gameId: string;
  /** Who orders: their budgets count it. */
  caller: Caller;
  /** The price (cents) at which a person approved it. */
  approvedCents?: number;
  /** The most (cents) that it may cost. */
  maxCents?: number | undefined;
  /** The idempotency key of the request: an order that it asked approval for is not placed beside that. */
  requestKey?: string | undefined;
}

/** The same request asked for approval before, and that waits or led to an order. Nothing was written. */
export class AskedBefore extends Error {
  override name = "AskedBefore";
  readonly approval: approvals.ApprovalRow;
  constructor(approval: approvals.ApprovalRow) {
    super("the order was asked for before");
    this.approval = approval;
  }
}

/** A budget of the caller lets nobody place this order without approval. Nothing was written. */
export class NeedsApproval extends Error {
  override name = "NeedsApproval";
  readonly totalCents: number;
  constructor(totalCents: number) {
    super("the order has to be approved");
    this.totalCents = totalCents;
  }
}

/** An order was approved at another price. Nothing was written. */
export class PriceChanged extends NeedsApproval {
  override name = "PriceChanged";
}

/**
 * Places an order and pays it from hours or credit if they cover it. Throws, with nothing written, when the requested
 * payment method or a budget does not cover it, it has to be approved first, or a disputed payment freezes the owner. An unpaid order is `pending_payment` and has no slots.
 */
export async function placeOrder(
  deps: Deps,
  tx: Tx,
  { gameId, caller, approvedCents, maxCents, requestKey }: Ordering,
  order: Order,
  method: PaymentMethod,
): Promise<Placed> {
  const ownerId = caller.userId;
  // One round trip: what is read behind the lock is what the writes before it left.
  const [, game, priced, holder, binding, asked] = await Promise.all([
    lockActive(tx, ownerId),
    ownGame(tx, gameId, ownerId),
    priceOrder(tx, ownerId, order),
    order.ref === undefined ? undefined : playtests.holderOf(tx, ownerId, order.ref),
    bindingOn(tx, caller, gameId),
    requestKey === undefined ? undefined : approvals.findByRequest(tx, caller, requestKey),
    requireUnfrozen(tx, ownerId),
  ]);
  if (asked && approvals.stands(asked, tx.now) && asked.body_hash === approvals.hashOf({ gameId, order, method }))
    throw new AskedBefore(asked);
  if (holder) throw refTaken(order.ref!, `the order ${holder.id} (${holder.status})`);
  await checkOrder(tx, game, order);
  const settlement = choosePaymentMethod(priced.need, priced.funds, method);
  if (settlement.by === "refused") throw insufficient(settlement.lacks, priced);
  if (settlement.by !== "hours") refuseAbove(maxCents, priced.need.totalCents);
  const planned = await plan(tx, binding, takenAs(settlement.by, priced.need, order.quantity));
  const { totalCents } = priced.need;
  if (approvedCents === undefined && needsApproval(caller, binding, totalCents)) throw new NeedsApproval(totalCents);
  if (approvedCents !== undefined && approvedCents !== totalCents) throw new PriceChanged(totalCents);
  const playtest = newPlaytest(tx, game, order, priced.price);
  const budgets = await take(tx, planned, { playtestId: playtest.id });
  if (settlement.by === "later" || settlement.by === "crypto") {
    await insertPlaytest(tx, playtest, order);
    await tx.schedule({
      kind: "expire-order",
      key: playtest.id,
      payload: { playtestId: playtest.id },
      runAt: playtest.pay_by!,
    });
    return { playtest, settlement, priced, paymentId: undefined, budgets };
  }
  const paidWith = settlement.by;
  const paymentId = paidWith === "free" ? undefined : await charge(deps, tx, playtest, paidWith, priced.need);
  const active = { ...playtest, ...activation(tx, playtest, paidWith, paymentId), status: "active" as const };
  await insertPlaytest(tx, active, order);
  await open(tx, active);
  if (order.isFreePublicTrial) await announceApproval(tx, active, null);
  return { playtest: active, settlement, priced, paymentId, budgets };
}

/** Charges the price to hours or credit and records a completed payment. The ledger rejects an overdraft. Returns the payment's id. */
export async function charge(
  deps: Deps,
  tx: Tx,
  playtest: playtests.PlaytestRow,
  paidWith: "hours" | "credit",
  need: Need,
): Promise<string> {
  const now = tx.now;
  const paymentId = tx.newId();
  payments.insert(tx, {
    id: paymentId,
    owner_id: playtest.owner_id,
    amount_cents: paidWith === "credit" ? need.totalCents : 0,
    status: "completed",
    provider: paidWith === "credit" ? "credit" : "playtest_hours",
    external_id: playtest.id,
    purpose: "order",
    playtest_id: playtest.id,
    description: orderDescription(playtest),
    completed_at: now,
    created_at: now,
    updated_at: now,
  });
  const amount = paidWith === "credit" ? need.totalCents : need.minutesNeeded;
  const order = { playtestId: playtest.id, ownerId: playtest.owner_id, paymentId, paidWith, amount };
  const balances = await ledger.post(tx, orderTransfer(order));
  const balanceCents = balances?.get(accounts.credit(playtest.owner_id));
  if (balanceCents !== undefined) await tellWhenLow(deps, tx, playtest.owner_id, { balanceCents, spentCents: amount });
  return paymentId;
}

/** Tells the owner when this order took the credit below the threshold. */
async function tellWhenLow(
  deps: Deps,
  tx: Tx,
  ownerId: string,
  { balanceCents, spentCents }: { balanceCents: number; spentCents: number },
): Promise<void> {
  const thresholdCents = deps.config.orders.lowCreditCents;
  if (balanceCents >= thresholdCents || balanceCents + spentCents < thresholdCents) return;
  await emit(tx, [{ id: ownerId, role: "game_owner" }], {
    kind: "credit.low",
    data: { balanceCents, thresholdCents },
    notice: { amountCents: balanceCents },
  });
  await mailUserAbout(
    tx,
    ownerId,
    "credit.low",
    creditLowLetter({ config: deps.config, balanceCents, thresholdCents, takesCards: deps.cards !== null }),
  );
}

/** Activates an order that was paid later than it was placed. */
export async function activate(
  tx: Tx,
  playtest: playtests.PlaytestRow,
  paidWith: playtests.PlaytestRow["paid_with"],
  paymentId: string | undefined,
): Promise<playtests.PlaytestRow> {
  if (!playtests.isIn(playtest, "pending_payment")) throw conflict("This order is not waiting for payment. Nothing was charged.");
  const active = await playtests.transition(tx, playtest, "activate", activation(tx, playtest, paidWith, paymentId));
  await open(tx, active);
  return active;
}

/** Cancels an order that was not paid. Budgets get back what it took. */
export async function cancelUnpaid(tx: Tx, playtest: playtests.PlaytestRow & { status: "pending_payment" }): Promise<void> {
  await playtests.transition(tx, playtest, "cancel", { updated_at: tx.now });
  await release(tx, { playtestId: playtest.id });
}

/** What changes when an order becomes active, besides its status. In manual selection, the review window starts. */
function activation(
  tx: ReadTx,
  playtest: playtests.PlaytestRow,
  paidWith: playtests.PlaytestRow["paid_with"],
  paymentId: string | undefined,
) {
  const now = tx.now;
  return {
    paid_with: paidWith,
    payment_id: paymentId ?? null,
    pay_by: null,
    closes_at: closesAt({ selectionMode: playtest.selection_mode, scheduledAt: playtest.scheduled_at }, now),
    updated_at: now,
  };
}

/** Opens the slots of an active order and schedules when those that nobody claimed close. */
async function open(tx: Tx, playtest: playtests.PlaytestRow): Promise<void> {
  slots.insert(
    tx,
    Array.from({ length: playtest.quantity }, () => openSlotOf(tx, playtest)),
  );
  if (playtest.closes_at !== null) await watchClosing(tx, playtest.id, playtest.closes_at);
}

/** Schedules the job that closes the unclaimed slots of a playtest at `closesAt` (ms). A playtest that was moved has a job for each time. */
export const watchClosing = (tx: Tx, playtestId: string, closesAt: number) =>
  tx.schedule({ kind: "close-window", key: `${playtestId}:${closesAt}`, payload: { playtestId }, runAt: closesAt });

/** Creates an open slot. `replaces` is the id of the expired or released slot that it replaces. */
export function openSlot(tx: Tx, playtest: playtests.PlaytestRow, replaces: string | null = null): slots.SlotIn<"open"> {
  const slot = openSlotOf(tx, playtest, replaces);
  slots.insert(tx, [slot]);
  return { ...fullRow("slots", slot), status: slot.status };
}

/** The row of an open slot. */
const openSlotOf = (tx: ReadTx, playtest: playtests.PlaytestRow, replaces: string | null = null) => ({
  id: tx.newId(),
  playtest_id: playtest.id,
  game_id: playtest.game_id,
  owner_id: playtest.owner_id,
  status: "open" as const,
  replaces,
  scheduled_at: playtest.scheduled_at,
  created_at: tx.now,
});

export const orderDescription = (playtest: Pick<playtests.PlaytestRow, "quantity" | "duration_minutes" | "player_count">) =>
  `${playtest.quantity} × playtest of ${playtest.duration_minutes} minutes, ${plural(playtest.player_count, "player")}`;

/** Refuses an order that cannot be placed whatever it is paid with. Without a game, checks what does not depend on it. */
export async function checkOrder(q: ReadTx, game: OrderedGame | undefined, order: Order): Promise<void> {
  if (game && game.status !== "active")
    throw conflict("This game is suspended, so it cannot be playtested. Nothing was ordered.");
  checkTime(q, order);
  await checkTarget(q, order);
  await requireGroup(q, order.panel);
  await checkTrial(q, game, order);
}

function checkTime({ now }: ReadTx, { scheduledAt }: Order): void {
  if (scheduledAt !== undefined && !isBookable(Date.parse(scheduledAt), now)) throw invalid("scheduledAt", bookableText);
}

async function checkTarget(tx: Query, order: Order): Promise<void> {
  if (order.targetedPlaytesterId === undefined) return;
  const target = await users.find(tx, order.targetedPlaytesterId);
  if (target?.role !== "playtester") throw invalid("targetedPlaytesterId", "is not the id of a playtester");
  if (target.suspended_at !== null) throw invalid("targetedPlaytesterId", "is the id of a playtester whose account is suspended");
}

async function checkTrial(tx: ReadTx, game: OrderedGame | undefined, order: Order): Promise<void> {
  if (!order.isFreePublicTrial) return;
  const { trialMaxSlots } = tx.config.orders;
  if (order.quantity > trialMaxSlots) throw invalid("quantity", `must be at most ${trialMaxSlots} for a free trial`);
  if (game && (await playtests.hasTrial(tx, game.id))) throw trialUsed();
}

const trialUsed = () =>
  conflict("This game's free trial has already been used. Nothing was ordered. Order a paid playtest instead.");

/** 409 for an order whose ref another one holds. `holder` says which, if that is known. */
function refTaken(ref: string, holder = "another order that was placed at the same time"): ApiError {
  const message = `The ref ${JSON.stringify(ref)} is already used by ${holder}.`;
  return new ApiError("CONFLICT", `${message} Nothing was ordered or charged. For another order, use another ref.`, {
    details: [{ field: "ref", message: "is already used" }],
  });
}

/** The row of an unpaid order. */
function newPlaytest(tx: ReadTx, game: OrderedGame, order: Order, price: SlotPrice): playtests.PlaytestRow {
  const now = tx.now;
  const ordered = orderedColumns(order);
  return fullRow("playtests", {
    ...ordered,
    id: tx.newId(),
    game_id: game.id,
    owner_id: game.owner_id,
    cost_per_slot_cents: price.costCents,
    payout_cents: price.payoutCents,
    status: "pending_payment",
    pay_by: payBy(ordered.scheduled_at, tx.config.orders.payWithinMs, now),
    created_at: now,
    updated_at: now,
  });
}

async function insertPlaytest(tx: Tx, playtest: playtests.PlaytestRow, order: Order): Promise<void> {
  if (order.isFreePublicTrial || order.ref !== undefined) await insertUnique(tx, playtest, order);
  else playtests.send(tx, playtest);
  if (order.ref !== undefined) await queueIndexing(tx, { what: "playtest", id: playtest.id });
  if (order.keysForTesters) storeKeys(tx, playtest.id, order.keysForTesters);
}

/** Of two free trials of a game, or two orders with one ref, that are placed at the same time, a unique index rejects the second. */
async function insertUnique(tx: Query, playtest: playtests.PlaytestRow, order: Order): Promise<void> {
  try {
    await playtests.insert(tx, playtest);
  } catch (error) {
    if (order.ref !== undefined && isUniqueViolation(error, "playtests", "owner_id", "ref")) throw refTaken(order.ref);
    throw order.isFreePublicTrial && isUniqueViolation(error, "playtests") ? trialUsed() : error;
  }
}
