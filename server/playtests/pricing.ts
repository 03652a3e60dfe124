import type { Pricing } from "../config/schema.ts";

export interface Terms {
  visibility: "public" | "private";
  durationMinutes: number;
  playerCount: number;
}

/** Cents by minutes. */
type ByDuration = Readonly<Record<number, number | undefined>>;

export interface SlotPrice {
  /** What the owner pays per slot, cents. */
  costCents: number;
  /** What the playtester earns per accepted slot, cents. */
  payoutCents: number;
  /** Playtest hours that one slot costs, in minutes; 0 for public playtests, which are free. */
  minutes: number;
}

/** The price of every slot on a server without payments. */
export const noPrice: SlotPrice = { costCents: 0, payoutCents: 0, minutes: 0 };

/** The price of one slot: a base price by duration and a surcharge per further player. Public playtests are free. */
export function priceOf(terms: Terms, pricing: Pricing): SlotPrice {
  const { durationMinutes, playerCount } = terms;
  if (terms.visibility === "public") return { costCents: 0, payoutCents: pricing.publicPayoutCents, minutes: 0 };
  const baseCents: ByDuration = pricing.baseCents;
  const furtherPlayerCents: ByDuration = pricing.furtherPlayerCents;
  const base = baseCents[durationMinutes];
  const further = furtherPlayerCents[durationMinutes];
  if (base === undefined || further === undefined) throw new Error(`no price for ${durationMinutes} minutes`);
  return {
    costCents: base + further * (playerCount - 1),
    payoutCents: Math.round((pricing.payoutPerHourCents * durationMinutes * playerCount) / 60),
    minutes: durationMinutes * playerCount,
  };
}
