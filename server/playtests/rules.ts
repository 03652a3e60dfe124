/** How an order is paid. Amounts in cents, hours in minutes. */
export type PaymentMethod = "any" | "hours" | "credit" | "card" | "x402";

export interface Funds {
  balanceCents: number;
  minutesAvailable: number;
}

export interface Need {
  totalCents: number;
  minutesNeeded: number;
}

export type Settlement =
  | { by: "free" }
  | { by: "hours" }
  | { by: "credit" }
  /** The order is placed unpaid; the owner pays by card or another method later. */
  | { by: "later" }
  | { by: "crypto" }
  /** The requested method does not cover the order, so nothing is created. */
  | { by: "refused"; lacks: "credit" | "hours" };

/**
 * Hours are used when they cover the whole order, and never together with another method. Otherwise credit is used, and
 * otherwise the owner pays later. An owner with some credit, but too little, is refused: they meant to pay with it.
 */
export function choosePaymentMethod(need: Need, funds: Funds, method: PaymentMethod): Settlement {
  if (need.totalCents === 0) return { by: "free" };
  const hoursCover = funds.minutesAvailable >= need.minutesNeeded;
  const creditCovers = funds.balanceCents >= need.totalCents;
  if (method === "hours") return hoursCover ? { by: "hours" } : { by: "refused", lacks: "hours" };
  if (method === "credit") return creditCovers ? { by: "credit" } : { by: "refused", lacks: "credit" };
  if (method === "card") return { by: "later" };
  if (hoursCover) return { by: "hours" };
  if (creditCovers) return { by: "credit" };
  if (method === "x402") return { by: "crypto" };
  return funds.balanceCents > 0 ? { by: "refused", lacks: "credit" } : { by: "later" };
}
