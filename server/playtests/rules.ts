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
  /** Waits for payment, by card or whatever the owner chooses later. */
  | { by: "later" }
  | { by: "crypto" }
  /** Not enough of what was asked for; nothing may be created. */
  | { by: "refused"; lacks: "credit" | "hours" };

/**
 * Hours pay only what they cover whole and never mix with anything else; then credit; then the owner pays later. Some
 * credit, but too little, is refused: the owner meant to pay with it.
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
