import type { QuoteRow } from "../billing/crypto/store.ts";
import type { Placed, Priced } from "./orders.ts";
import type { Settlement } from "./rules.ts";
import type { SlotDetailRow } from "./slots/store.ts";
import type { PlaytestRow } from "./store.ts";
import { playtestView, slotView } from "./views.ts";

/** The replies to an order and to its payment: one function for each shape. How the order was paid decides which one is sent. */
interface Checkout {
  checkoutUrl: string;
  paymentId: string;
}

const yes = true as const;

export function paidReply(row: PlaytestRow, by: "hours" | "credit", { need, funds, price }: Priced, paymentId: string) {
  const playtest = playtestView(row);
  if (by === "credit")
    return {
      playtest,
      paid: yes,
      paidWithCredit: yes,
      totalCents: need.totalCents,
      balanceCents: funds.balanceCents - need.totalCents,
      paymentId,
    };
  return {
    playtest: { ...playtest, playtestMinutesPerSlot: price.minutes },
    paid: yes,
    paidWithPlaytestHours: yes,
    playtestMinutesUsed: need.minutesNeeded,
    playtestMinutesRemaining: funds.minutesAvailable - need.minutesNeeded,
    paymentId,
  };
}

export const cryptoReply = (row: PlaytestRow, quote: QuoteRow) => ({
  playtest: playtestView(row),
  paid: yes,
  paidWithCrypto: yes,
  totalCents: quote.amount_cents,
  paymentId: quote.payment_id,
});

/** The reply to an unpaid order. The minutes needed and available show why playtest hours were not used. */
export const pendingReply = (row: PlaytestRow, { need, funds, price }: Priced, checkout?: Checkout) => ({
  playtest: playtestView(row),
  requiresPayment: yes,
  costPerSlotCents: price.costCents,
  totalCents: need.totalCents,
  playtestMinutesNeeded: need.minutesNeeded,
  playtestMinutesAvailable: funds.minutesAvailable,
  ...checkout,
});

export const trialReply = (row: PlaytestRow, slots: readonly SlotDetailRow[], now: number) => ({
  playtest: playtestView(row),
  slots: slots.map((slot) => slotView(slot, now)),
  needsAdminApproval: yes,
});

/** How an order would be paid, as price quotes report it. */
export const wouldPayWith = ({ by }: Settlement) => (by === "free" || by === "hours" || by === "credit" ? by : ("none" as const));

export const isPaid = (placed: Placed): placed is Placed & { settlement: { by: "hours" | "credit" }; paymentId: string } =>
  placed.paymentId !== undefined;
