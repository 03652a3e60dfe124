import type { z } from "zod";
import type { BudgetLeft } from "../../src/contract/accounts/budgets.ts";
import type { payHeaders } from "../../src/contract/headers.ts";
import { lockActive } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Purchase } from "../billing/budgets/rules.ts";
import { bindingOn, leftOfAll, plan, settle, take } from "../billing/budgets/service.ts";
import { refuseUnapproved, toldOf, withinBudgets } from "../billing/budgets/spending.ts";
import { requireUnfrozen } from "../billing/cards/freezes.ts";
import { receive } from "../billing/crypto/deposits.ts";
import { wantedOf } from "../billing/crypto/headers.ts";
import { offerOf } from "../billing/crypto/quotes.ts";
import { sentPayment } from "../billing/crypto/sent.ts";
import type { SettledPayment } from "../billing/crypto/signed/settle.ts";
import type { Scope } from "../billing/crypto/types.ts";
import { openCheckout, requireCards, requirePayments } from "../billing/payments.ts";
import type { Caller, CommitOptions, Handlers } from "../http/call.ts";
import { CommittedError, WithHeaders } from "../http/call.ts";
import { ApiError, conflict, withHeaders } from "../lib/api-error.ts";
import { closeWhenFull } from "./applications/service.ts";
import { billOrder, creditedOnly, orderUnderKey, paidSince, paysOrder, paysPlaytest } from "./crypto-orders.ts";
import { ownGame, ownPlaytest } from "./find.ts";
import { groupWarnings } from "./groups/membership.ts";
import { answerAgain, askForApproval } from "./order-approvals/service.ts";
import { wasApproved } from "./order-approvals/store.ts";
import { cryptoReply, isPaid, paidReply, pendingReply, trialReply, wouldPayWith } from "./order-replies.ts";
import {
  AskedBefore,
  activate,
  cancelUnpaid,
  charge,
  checkOrder,
  NeedsApproval,
  orderDescription,
  type Placed,
  type Priced,
  placeOrder,
  priceOrder,
  pricePlaytest,
  takenAs,
} from "./orders.ts";
import { insufficient, refuseAbove } from "./refusals.ts";
import { choosePaymentMethod, type PaymentMethod } from "./rules.ts";
import { cancelClaimed } from "./schedule/moves.ts";
import { cancelsWith } from "./schedule/rules.ts";
import { awaitsPayment, wasPaid } from "./slots/rules.ts";
import * as slots from "./slots/store.ts";
import { cancelOpen, finishPlaytest } from "./slots/transitions.ts";
import * as playtests from "./store.ts";
import { countedPlaytestView, playtestView } from "./views.ts";

/**
 * Row locks are enough for an order, however it is paid: it locks its owner, whom a deletion and a dispute change or lock, and inserts new
 * rows. The conditions of the UPDATEs of a balance and of budgets refuse an overdraft, and unique indexes refuse a game's second free trial,
 * a second order with one ref, and a second crypto quote of one amount. Everything else that it reads or changes belongs to that owner or is
 * not changed by orders. So the orders of one owner wait for each other, and none is refused because others came at the same time.
 */
const optionsOf = (ownerId: string): CommitOptions => ({ locksCaller: true, isolation: "rows", locks: [ownerId] });

async function checkoutFor(deps: Deps, tx: Tx, playtest: playtests.PlaytestRow, { need }: Priced) {
  const description = orderDescription(playtest);
  const order = { ownerId: playtest.owner_id, amountCents: need.totalCents, description, playtestId: playtest.id };
  const { payment, checkoutUrl } = await openCheckout(deps, tx, { ...order, purpose: "order" });
  return { checkoutUrl, paymentId: payment.id };
}

/** Takes an unpaid order from the budgets of the caller who pays it, unless they counted it before. */
async function takeForUnpaid(tx: Tx, caller: Caller, row: playtests.PlaytestRow, purchase: Purchase): Promise<BudgetLeft[]> {
  const binding = await bindingOn(tx, caller, row.game_id);
  const subject = { playtestId: row.id };
  if (!(await wasApproved(tx, row.id))) refuseUnapproved(caller, binding, row.cost_per_slot_cents * row.quantity);
  return take(tx, await plan(tx, binding, purchase, subject), subject);
}

/** Builds the reply, whose shape depends on how the order was paid. */
export async function replyTo(deps: Deps, tx: Tx, placed: Placed, byCard: boolean) {
  const { playtest, settlement, priced } = placed;
  const told = toldOf(placed.budgets);
  if (isPaid(placed)) return { ...paidReply(playtest, placed.settlement.by, priced, placed.paymentId), ...told };
  if (playtest.is_free_public_trial === 1) {
    const opened = await slots.listForPlaytest(tx, playtest.id, { limit: playtest.quantity, after: undefined });
    return { ...trialReply(playtest, opened, tx.now), ...told };
  }
  if (settlement.by === "free") return { playtest: playtestView(playtest), ...told };
  return { ...pendingReply(playtest, priced, byCard ? await checkoutFor(deps, tx, playtest, priced) : undefined), ...told };
}

/** The callback that applies a crypto payment to its order. Repeating the request gives the same reply. */
const payment =
  ({ proof, headers, ...found }: SettledPayment, scope: Scope) =>
  async (tx: Tx) => {
    const outcome = await receive(tx, proof, found, scope);
    if (outcome instanceof ApiError) return new CommittedError(withHeaders(outcome, headers), 0);
    if (!outcome.quote?.playtest_id) return new CommittedError(withHeaders(creditedOnly(outcome), headers), 0);
    return new WithHeaders(cryptoReply((await playtests.find(tx, outcome.quote.playtest_id))!, outcome.quote), headers);
  };

const isPayment = ({ "X-Payment": named, "PAYMENT-SIGNATURE": signed }: z.output<typeof payHeaders>) =>
  named !== undefined || signed !== undefined;

const notWaiting = () => conflict("This order is not waiting for payment. Nothing was charged.");

/** The claimed slots of a playtest that its owner can still cancel: those before their fixed time. */
const cancellable = async (tx: Tx, { id }: playtests.PlaytestRow) =>
  (await slots.claimedOf(tx, id)).filter(
    (slot): slot is slots.SlotIn<"reserved"> =>
      slots.isIn(slot, "reserved") && cancelsWith(slot.scheduled_at, tx.now) !== "nothing",
  );

export const orders = {
  async createPlaytest(call) {
    const ownerId = call.principal.userId;
    // Without payments, every order is free however it asks to be paid.
    const { "X-Payment-Method": asked = "any", "X-Max-Cost-Cents": maxCents } = call.headers;
    const method: PaymentMethod = call.deps.config.payments.enabled ? asked : "any";
    const { gameId } = call.params;
    if (isPayment(call.headers)) {
      await call.read((q) => ownGame(q, gameId, ownerId));
      const scope = paysOrder(call.deps, gameId, call.body);
      return call.commit(payment((await sentPayment(call.deps, { headers: call.headers, ownerId, scope }))!, scope));
    }
    if (method === "card") requireCards(call.deps);
    const offer = method === "x402" ? await offerOf(call.deps, wantedOf(call.headers)) : undefined;
    const requestKey = call.idempotencyKey;
    const bill = async (tx: Tx, playtest: playtests.PlaytestRow, cents: number) => {
      const { problem, until } = await billOrder(tx, playtest, { offer: offer!, cents, requestKey });
      return new CommittedError(problem, until);
    };
    const again = async (tx: Tx, id: string) => {
      const [before] = await Promise.all([playtests.locked(tx, id), lockActive(tx, ownerId), requireUnfrozen(tx, ownerId)]);
      if (!before || !awaitsPayment(before, tx.now)) throw notWaiting();
      const cents = before.cost_per_slot_cents * before.quantity;
      refuseAbove(maxCents, cents);
      const purchase = { cents, minutes: 0, slots: before.quantity, worthCents: cents };
      await takeForUnpaid(tx, call.principal, before, purchase);
      return bill(tx, before, cents);
    };
    const place = async (tx: Tx) => {
      const before = offer && (await orderUnderKey(tx, ownerId, requestKey, gameId, call.body));
      if (before && wasPaid(before.playtest)) return paidSince(tx, before);
      if (before) return again(tx, before.playtest.id);
      const ordering = { gameId, caller: call.principal, requestKey, maxCents };
      const placed = await placeOrder(call.deps, tx, ordering, call.body, method);
      if (placed.settlement.by === "crypto") return bill(tx, placed.playtest, placed.priced.need.totalCents);
      return replyTo(call.deps, tx, placed, method === "card");
    };
    const order = { caller: call.principal, gameId, order: call.body, method, requestKey };
    const placeOrAsk = (tx: Tx) =>
      place(tx).catch((error: unknown) => {
        if (error instanceof AskedBefore) return answerAgain(tx, error.approval);
        if (error instanceof NeedsApproval) return askForApproval(tx, { ...order, totalCents: error.totalCents });
        throw error;
      });
    return call.commit((tx) => withinBudgets(tx, () => placeOrAsk(tx)), optionsOf(ownerId));
  },

  quotePlaytest: (call) =>
    call.read(async (q) => {
      const { gameId, ...order } = call.body;
      const game = gameId === undefined ? undefined : await ownGame(q, gameId, call.principal.userId);
      if (game) await requireUnfrozen(q, game.owner_id);
      await checkOrder(q, game, order);
      const [{ price, need, funds }, binding] = await Promise.all([
        priceOrder(q, call.principal.userId, order),
        bindingOn(q, call.principal, gameId ?? null),
      ]);
      const by = wouldPayWith(choosePaymentMethod(need, funds, "any"));
      return {
        costPerSlotCents: price.costCents,
        payoutCents: price.payoutCents,
        totalCents: need.totalCents,
        playtestMinutesNeeded: need.minutesNeeded,
        playtestMinutesAvailable: funds.minutesAvailable,
        balanceCents: funds.balanceCents,
        wouldPayWith: by,
        ...toldOf(await leftOfAll(q, binding)),
        missingCents: by === "none" ? need.totalCents - funds.balanceCents : 0,
        warnings: await groupWarnings(q, order.panel, order.quantity),
      };
    }),

  async payPlaytest(call) {
    const { method } = call.body;
    const { id } = call.params;
    if (method === "x402" && isPayment(call.headers)) {
      const ownerId = call.principal.userId;
      await call.read((q) => ownPlaytest(q, id, ownerId));
      const scope = paysPlaytest(id);
      return call.commit(payment((await sentPayment(call.deps, { headers: call.headers, ownerId, scope }))!, scope));
    }
    requirePayments(call.deps);
    if (method === "card") requireCards(call.deps);
    const offer = method === "x402" ? await offerOf(call.deps, wantedOf(call.headers)) : undefined;
    const pay = async (tx: Tx) => {
      playtests.lock(tx, id);
      const row = await ownPlaytest(tx, id, call.principal.userId);
      if (!awaitsPayment(row, tx.now)) throw notWaiting();
      const [priced] = await Promise.all([pricePlaytest(tx, row), requireUnfrozen(tx, row.owner_id)]);
      const settlement = choosePaymentMethod(priced.need, priced.funds, method);
      if (settlement.by === "refused") throw insufficient(settlement.lacks, priced);
      const amounts = takenAs(method === "hours" ? "hours" : "later", priced.need, row.quantity);
      const told = toldOf(await takeForUnpaid(tx, call.principal, row, amounts));
      if (method === "card") return { ...pendingReply(row, priced, await checkoutFor(call.deps, tx, row, priced)), ...told };
      if (offer) {
        const request = { offer, cents: priced.need.totalCents, requestKey: undefined };
        const { problem, until } = await billOrder(tx, row, request);
        return new CommittedError(problem, until);
      }
      if (method === "x402") throw new Error("a crypto payment requires an offer");
      await settle(tx, row.id, amounts);
      const paymentId = await charge(call.deps, tx, row, method, priced.need);
      return { ...paidReply(await activate(tx, row, method, paymentId), method, priced, paymentId), ...told };
    };
    return call.commit((tx) => withinBudgets(tx, () => pay(tx)));
  },

  cancelPlaytest: (call) =>
    call.commit(async (tx) => {
      playtests.lock(tx, call.params.id);
      const row = await ownPlaytest(tx, call.params.id, call.principal.userId);
      const counts = (await playtests.slotCounts(tx, [row.id], tx.now)).get(row.id)!;
      const { status } = countedPlaytestView(row, counts, tx.now);
      const total = { cents: 0, minutes: 0 };
      if (status === "pending_payment" && playtests.isIn(row, "pending_payment")) await cancelUnpaid(tx, row);
      else {
        const open = status === "active" ? await slots.openOf(tx, row.id) : [];
        const claimed = status === "active" ? await cancellable(tx, row) : [];
        if (open.length + claimed.length === 0)
          throw conflict("This playtest has no open or unpaid slots. Nothing was cancelled.");
        const refunds = [
          ...open.map((slot) => () => cancelOpen(tx, row, slot)),
          ...claimed.map((slot) => () => cancelClaimed(tx, row, slot)),
        ];
        for (const cancel of refunds) {
          const refunded = await cancel();
          total.cents += refunded.cents;
          total.minutes += refunded.minutes;
        }
        await closeWhenFull(tx, row);
        await finishPlaytest(tx, row);
      }
      const playtest = (await playtests.find(tx, row.id))!;
      return { playtest: playtestView(playtest), refundedCents: total.cents, refundedMinutes: total.minutes };
    }),
} satisfies Partial<Handlers>;
