import type { Config } from "../../config.ts";
import { createSandboxCards, type SandboxCards } from "./sandbox.ts";

/** A charge of a card that was saved when its holder subscribed. `paymentId` names it for ever: asked again, it is not charged again. */
export interface SavedCharge {
  paymentId: string;
  amountCents: number;
  description: string;
  /** What the processor called the card; never its number. */
  card: string;
}

export type ChargeOutcome = { paid: true; reference: string } | { paid: false; reason: string };

/** What every card processor does. Trouble on the way to it is thrown: the outcome is then unknown, and asked for again. */
export interface SavedCards {
  chargeSaved(charge: SavedCharge): Promise<ChargeOutcome>;
}

/** The card processor in use (decisions §7). */
export type CardProcessor = SandboxCards;

/** The processor this server is configured for; null when cards are off. A sandbox never reaches a real one. */
export function createCards(config: Config): CardProcessor | null {
  return config.sandbox ? createSandboxCards() : null;
}
