import type { IncomingHttpHeaders } from "node:http";
import type { CardProcessorName } from "../../config/card-processors.ts";

/** A charge of a card that was saved when its holder subscribed. `paymentId` names it for ever: asked again, it is not charged again. */
export interface SavedCharge {
  paymentId: string;
  amountCents: number;
  description: string;
  /** What the processor called the card; never its number. */
  card: string;
}

export type ChargeOutcome = { paid: true; reference: string; feeCents: number | null } | { paid: false; reason: string };

/** What every card processor does. Trouble on the way to it is thrown: the outcome is then unknown, and asked for again. */
export interface SavedCards {
  chargeSaved(charge: SavedCharge): Promise<ChargeOutcome>;
}

/** What a processor's own checkout page is to take. */
export interface HostedCheckout {
  paymentId: string;
  /** What the payment is called so far: an open session's own name, or one of ours before it has a session. */
  reference: string;
  amountCents: number;
  description: string;
  email: string;
  /** Until when it can be paid, ms; at least half an hour ahead. */
  expiresAt: number;
  /** Keep the card for renewals. */
  saveCard: boolean;
  /** Where the page leads afterwards, and when its visitor turns back. */
  doneUrl: string;
  leftUrl: string;
}

/** What became of a hosted checkout, as the processor says now. */
export interface SessionState {
  reference: string;
  paymentId: string | null;
  state: "open" | "paid" | "ended";
  amountCents: number;
  currency: string;
  /** The saved card, where one was asked for. */
  card: string | undefined;
  /** What the processor keeps of it; null while that is not known. */
  feeCents: number | null;
}

/** What the processor says of a dispute now. */
export interface DisputeState {
  id: string;
  paymentId: string | null;
  amountCents: number | null;
  state: "lost_or_open" | "won" | "inquiry";
  /** What the processor took for it besides, less what it gave back. */
  feeCents: number;
}

/** What the processor says of a charge now. */
export interface ChargeState {
  paymentId: string | null;
  /** What arrived; null where nothing did, or something in another currency. */
  paidCents: number | null;
  /** What the processor keeps of it; null while that is not known. */
  feeCents: number | null;
  refunds: { id: string; cents: number; state: "taken" | "failed" }[];
}

/** A message from the processor, its signature checked. It only says where to look: its content may be old. */
export interface ProcessorEvent {
  id: string;
  kind: string;
  about: { session: string } | { dispute: string } | { charge: string } | undefined;
}

/** A processor with a checkout page of its own. */
export interface HostedCards extends SavedCards {
  readonly name: Exclude<CardProcessorName, "sandbox">;
  readonly page: "hosted";
  /** As people know it. */
  readonly title: string;
  /** Opens the page for a payment; the same one however often it is asked for. */
  openSession(checkout: HostedCheckout): Promise<{ url: string; reference: string }>;
  /** Undefined for a reference that is not one of its sessions. */
  lookUp(reference: string): Promise<SessionState | undefined>;
  /** Ends an open session, so that nobody pays it any more; what it is then. */
  closeSession(reference: string): Promise<SessionState | undefined>;
  lookUpDispute(id: string): Promise<DisputeState>;
  lookUpCharge(id: string): Promise<ChargeState>;
  /** Reads a message with the signature in its headers. Throws a Problem where that is wrong or too old. `realNow` in ms. */
  readEvent(body: Buffer, headers: IncomingHttpHeaders, realNow: number): ProcessorEvent;
}

/** The built-in processor: its checkout is a page of this server, its cards are test cards, its money is not real. */
export interface SandboxCards extends SavedCards {
  readonly name: "sandbox";
  readonly page: "own";
  /** What happens when this number is entered; spaces and dashes do not matter. */
  read(number: string): CardVerdict;
}

/** What a test card does. `card` stands for it afterwards: no card number is kept. */
export type CardVerdict =
  | { outcome: "paid"; card: string; disputed: boolean }
  | { outcome: "declined"; reason: string }
  | { outcome: "unknown" };

/** The card processor in use. */
export type CardProcessor = SandboxCards | HostedCards;
