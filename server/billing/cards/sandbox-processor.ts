import type { CardVerdict, SandboxCards } from "./processor.ts";

/** The ids of saved sandbox cards, by the outcome of their charges. */
export const savedCards = { paid: "sandbox_card_pays", failed: "sandbox_card_fails" } as const;

export const testCards = [
  { number: "4242 4242 4242 4242", does: "pays" },
  { number: "4000 0000 0000 0002", does: "is declined" },
  { number: "4000 0000 0000 0341", does: "pays now, fails when a subscription renews" },
  { number: "4000 0000 0000 0259", does: "pays now, is disputed a day later" },
] as const;

const verdicts = new Map<string, CardVerdict>([
  ["4242424242424242", { outcome: "paid", card: savedCards.paid, disputed: false }],
  ["4000000000000002", { outcome: "declined", reason: "The bank declined the card." }],
  ["4000000000000341", { outcome: "paid", card: savedCards.failed, disputed: false }],
  ["4000000000000259", { outcome: "paid", card: savedCards.paid, disputed: true }],
]);

export const createSandboxCards = (): SandboxCards => ({
  name: "sandbox",
  page: "own",
  read: (number) => verdicts.get(number.replace(/[\s-]/g, "")) ?? { outcome: "unknown" },
  async chargeSaved({ paymentId, card }) {
    if (card === savedCards.failed) return { paid: false, reason: "The bank declined the card." };
    return { paid: true, reference: `sandbox_${paymentId}`, feeCents: null };
  },
});
