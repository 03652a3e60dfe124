import type { PaymentRow } from "../store.ts";
import { type BuyerFacts, buyerOf, type Party, type Reference, type Units, unitsOfTotal } from "./rules.ts";

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
  units?: Units;
  paidWith: "credit" | "hours";
  /** In cents or minutes. */
  amount: number;
  sources: Source[];
  /** The number of the invoice that an earlier version issued for this order. */
  replaces?: string;
}

/** A part of what an order was paid from: a payment with its invoice, or a grant with the operator's note. */
export interface Source {
  /** In cents or minutes. */
  amount: number;
  invoice: Reference | undefined;
  note: string | null;
}

/** What once changed the credit or hours of an owner. */
export interface Movement extends Source {
  /** Below zero for what was spent or taken back. */
  amount: number;
  /** The payment or grant that it belongs to; undefined for an order that was paid with credit or hours, and for a refund of it. */
  lot: string | undefined;
  /** The order that it paid, or of which it is a refund. */
  order: string | null;
}

/** The credit or hours that are left of a payment or grant. */
type Lot = Source;

interface Part {
  lot: Lot;
  amount: number;
}

/** What is left of each payment and grant, the oldest first. */
class Lots {
  readonly #lots = new Map<string | undefined, Lot>();
  readonly #paid = new Map<string | null, Part[]>();
  /** What was taken before it was there, which is so only if the clocks of two servers differ. */
  #missing = 0;

  apply({ amount, lot, order, ...known }: Movement): void {
    // Stryker disable next-line EqualityOperator: the ledger has no movement of nothing
    if (amount < 0) {
      const parts = this.take(-amount, lot);
      if (order !== null) this.#paid.set(order, parts);
      return;
    }
    const rest = this.#giveBack(order, amount);
    const late = Math.min(rest, this.#missing);
    this.#missing -= late;
    this.#add(lot, { ...known, amount: rest - late });
  }

  /** Takes from one lot first, if it is named, then from the oldest. */
  take(amount: number, first?: string): Part[] {
    let due = amount;
    const parts: Part[] = [];
    const named = first === undefined ? undefined : this.#lots.get(first);
    for (const lot of named ? [named, ...this.#lots.values()] : this.#lots.values()) {
      const taken = Math.min(lot.amount, due);
      if (taken === 0) continue;
      lot.amount -= taken;
      due -= taken;
      parts.push({ lot, amount: taken });
    }
    this.#missing += due;
    return parts;
  }

  /** Gives back to the lots that paid an order, the newest first. Returns what none of them paid. */
  #giveBack(order: string | null, amount: number): number {
    let due = amount;
    for (const part of [...(this.#paid.get(order) ?? [])].reverse()) {
      const given = Math.min(part.amount, due);
      part.amount -= given;
      part.lot.amount += given;
      due -= given;
    }
    return due;
  }

  #add(key: string | undefined, added: Lot): void {
    const lot = this.#lots.get(key);
    if (lot) lot.amount += added.amount;
    else this.#lots.set(key, added);
  }
}

/**
 * What an order was paid from. The credit that came first is spent first, and what is refunded of an order is again what it was before the
 * order, so that the confirmations never name an invoice for more than it brought. `movements` are those before the order, the oldest first.
 */
export function fundedBy(movements: readonly Movement[], amount: number): Source[] {
  const lots = new Lots();
  for (const movement of movements) lots.apply(movement);
  const sources = lots.take(amount).map((part) => ({ ...part.lot, amount: part.amount }));
  const known = sources.reduce((sum, source) => sum + source.amount, 0);
  return known < amount ? [...sources, { amount: amount - known, invoice: undefined, note: null }] : sources;
}

interface Facts {
  payment: PaymentRow;
  units: Units | undefined;
  sources: Source[];
  seller: Party;
  buyer: BuyerFacts;
  replaces: string | undefined;
}

export function composeConfirmation({ payment, units, sources, seller, buyer, replaces }: Facts): ConfirmationDocument {
  return {
    orderId: payment.playtest_id ?? payment.external_id,
    orderedAt: payment.completed_at ?? payment.created_at,
    seller,
    buyer: buyerOf(buyer),
    description: payment.description ?? "Playtests",
    ...(payment.provider === "credit" && unitsOfTotal(units, payment.amount_cents)),
    paidWith: payment.provider === "credit" ? "credit" : "hours",
    amount: sources.reduce((sum, { amount }) => sum + amount, 0),
    sources,
    ...(replaces !== undefined && { replaces }),
  };
}
