import type { IncomingHttpHeaders } from "node:http";
import type { CardProcessorName } from "../../config/card-processors.ts";

/** A charge of a card that was saved for a subscription. A repeated request with the same `paymentId` does not charge it again. */
export interface SavedCharge {
  paymentId: string;
  amountCents: number;
  description: string;
  /** The processor's id of the card. Never a card number. */
  card: string;
  /** When it was first tried (ms), if it may have been charged already: processors remember a request for a day only. */
  triedAt?: number | undefined;
}

export type ChargeOutcome = { paid: true; reference: string; feeCents: number | null } | { paid: false; reason: string };

/** The functions of every card processor. They throw if the processor cannot be reached. The outcome is then unknown, so retry. */
export interface SavedCards {
  chargeSaved(charge: SavedCharge): Promise<ChargeOutcome>;
}

/** The data for a checkout page of a processor. */
export interface HostedCheckout {
  paymentId: string;
  /** The payment's current reference: the id of its session, or a generated one before it has a session. */
  reference: string;
  amountCents: number;
  description: string;
  email: string;
  /** When the page expires, in ms. At least half an hour ahead. */
  expiresAt: number;
  /** Whether to save the card for renewals. */
  saveCard: boolean;
  /** The URLs to return to after the payment, and when the visitor goes back without paying. */
  doneUrl: string;
  leftUrl: string;
}

/** The current state of a hosted checkout at the processor. */
export interface SessionState {
  reference: string;
  paymentId: string | null;
  state: "open" | "paid" | "ended";
  amountCents: number;
  currency: string;
  /** The id of the saved card, if the card was to be saved. */
  card: string | undefined;
  /** The processor's fee, in cents. Null if not known yet. */
  feeCents: number | null;
}

/** The current state of a dispute at the processor. */
export interface DisputeState {
  id: string;
  paymentId: string | null;
  amountCents: number | null;
  state: "lost_or_open" | "won" | "inquiry";
  /** Until when the bank waits for an answer (ms); null if it waits for none. */
  answerBy: number | null;
  /** The processor's fee for the dispute, minus refunds of the fee, in cents. */
  feeCents: number;
}

/** The current state of a charge at the processor. */
export interface ChargeState {
  paymentId: string | null;
  /** The amount paid, in cents. Null if it was not paid, or paid in another currency. */
  paidCents: number | null;
  /** The processor's fee, in cents. Null if not known yet. */
  feeCents: number | null;
  refunds: { id: string; cents: number; state: "taken" | "failed" }[];
}

/** A webhook event of the processor with a verified signature. It only says which object changed, because its data may be outdated. */
export interface ProcessorEvent {
  id: string;
  kind: string;
  about: { session: string } | { dispute: string } | { charge: string } | undefined;
}

/** A processor that hosts the checkout page. */
export interface HostedCards extends SavedCards {
  readonly name: Exclude<CardProcessorName, "sandbox">;
  readonly page: "hosted";
  /** The name to show to people. */
  readonly title: string;
  /** Opens the checkout page of a payment. Repeated calls return the same page. */
  openSession(checkout: HostedCheckout): Promise<{ url: string; reference: string }>;
  /** The state of a session. Undefined if the reference is not the id of a session. */
  lookUp(reference: string): Promise<SessionState | undefined>;
  /** Closes an open session, so that it cannot be paid anymore. Returns its state afterwards. */
  closeSession(reference: string): Promise<SessionState | undefined>;
  lookUpDispute(id: string): Promise<DisputeState>;
  lookUpCharge(id: string): Promise<ChargeState>;
  /** Reads a webhook event. Throws an ApiError if the signature in its headers is invalid or too old. `realNow` is in ms. */
  readEvent(body: Buffer, headers: IncomingHttpHeaders, realNow: number): ProcessorEvent;
}

/** The simulated processor: its checkout is a page of this server, it accepts only test cards, and its money is not real. */
export interface SandboxCards extends SavedCards {
  readonly name: "sandbox";
  readonly page: "own";
  /** The result of paying with this card number. Ignores spaces and dashes. */
  read(number: string): CardVerdict;
}

/** The result of paying with a test card. `card` is the id of the saved card. Card numbers are not stored. */
export type CardVerdict =
  | { outcome: "paid"; card: string; disputed: boolean }
  | { outcome: "declined"; reason: string }
  | { outcome: "unknown" };

/** The card processor in use. */
export type CardProcessor = SandboxCards | HostedCards;
