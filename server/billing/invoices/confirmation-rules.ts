import type { PaymentRow } from "../store.ts";
import { type BuyerFacts, buyerOf, type Party, type Reference } from "./rules.ts";

/**
 * What an owner gets for an order that was paid with credit or hours. It is no invoice: the payments that bought them have theirs, and a
 * second one would state the same money twice.
 */
export interface ConfirmationDocument {
  orderId: string;
  orderedAt: number;
  seller: Party;
  buyer: Party;
  description: string;
  paidWith: "credit" | "hours";
  /** In cents or minutes. */
  amount: number;
  sources: Source[];
  /** The number of the invoice that an earlier version issued for this order. */
  replaces?: string;
}

/** What added credit or hours before an order: a payment with its invoice, or a grant with the operator's note. */
export interface Lot {
  /** In cents or minutes, less what was taken back since. */
  amount: number;
  invoice: Reference | undefined;
  note: string | null;
}

export type Source = Lot;

/**
 * What an order was paid from: the credit that came first is spent first. `before` is the balance before the order, which is what is left
 * of all lots, so everything older is spent.
 */
export function fundedBy(lots: readonly Lot[], before: number, amount: number): Source[] {
  let spent = Math.max(0, lots.reduce((sum, lot) => sum + lot.amount, 0) - before);
  let due = amount;
  const sources: Source[] = [];
  for (const lot of lots) {
    const left = Math.max(0, lot.amount - spent);
    spent = Math.max(0, spent - lot.amount);
    const taken = Math.min(left, due);
    if (taken > 0) sources.push({ ...lot, amount: taken });
    due -= taken;
  }
  return due > 0 ? [...sources, { amount: due, invoice: undefined, note: null }] : sources;
}

interface Facts {
  payment: PaymentRow;
  sources: Source[];
  seller: Party;
  buyer: BuyerFacts;
  replaces: string | undefined;
}

export function composeConfirmation({ payment, sources, seller, buyer, replaces }: Facts): ConfirmationDocument {
  return {
    orderId: payment.playtest_id ?? payment.external_id,
    orderedAt: payment.completed_at ?? payment.created_at,
    seller,
    buyer: buyerOf(buyer),
    description: payment.description ?? "Playtests",
    paidWith: payment.provider === "credit" ? "credit" : "hours",
    amount: sources.reduce((sum, { amount }) => sum + amount, 0),
    sources,
    ...(replaces !== undefined && { replaces }),
  };
}
