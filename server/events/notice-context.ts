import type { DisputeEnding } from "../../src/contract/billing.ts";
import type { ReportOutcome } from "../../src/contract/slots.ts";
import type { Absence, TeamEnding } from "../../src/contract/teams/statuses.ts";

/** When an accepted video is paid: a free trial whose video is not to be published when an administrator has approved it. */
export type PaidWhen = "published" | "approved" | "now";

/** Names and amounts for the text of a notification. The code that emits the event fills in what it knows. */
export interface NoticeContext {
  gameName?: string;
  playtesterName?: string;
  amountCents?: number;
  planName?: string;
  /** Whether the plan has ended; a cancelled plan runs until the end of its period. */
  hasEnded?: boolean;
  /** Whether the hours of a cancelled plan stay, or were taken back with its price. */
  hours?: "kept" | "taken";
  url?: string;
  /** The endpoint of a disabled webhook responded with 410 Gone. */
  gone?: boolean;
  senderName?: string;
  /** Why a crypto deposit was refunded instead of credited: a sentence. */
  sentBack?: string;
  /** What a playtester reported, and until when somebody must answer. */
  problem?: string;
  until?: string;
  /** The slot was reserved for another attempt, after a rejection that allows it. */
  isRetry?: boolean;
  /** How a report ended, what the playtester was told, and what the owner got back. */
  outcome?: ReportOutcome;
  answer?: string | null;
  refunded?: string | undefined;
  /** How many new game keys the playtester got. */
  newKeys?: number;
  /** The game keys that are left, and those that the open slots need. */
  keys?: { unused: number; needed: number };
  /** Why a submission was rejected, or what was decided. */
  reason?: string | null;
  /** An operator rejected the video, not the owner. */
  byOperator?: boolean;
  /** No page shows a published video now. */
  isHidden?: boolean;
  /** When an accepted video is paid. */
  paidWhen?: PaidWhen;
  /** What people call where a video could not be published. */
  platform?: string;
  /** What waits for an operator. */
  pending?: "trial" | "video";
  decision?: "approved" | "rejected";
  /** On a server without payments, nothing is said about them. */
  withoutPayments?: boolean;
  /** What is left of a budget, as a sentence without its end, and how much of it is spent. */
  budget?: string;
  percent?: number;
  /** What became of an order that waited for approval, and the name of the API key that ordered. */
  verdict?: "approved" | "declined" | "expired";
  keyName?: string;
  /** A finding, by number and title, and the number of the one that it was merged into. */
  finding?: string;
  intoFinding?: string;
  /** The fixed time of a playtest with its zone, the one before, and the answer to a proposal. */
  at?: string;
  previousAt?: string;
  timeAnswer?: TimeAnswer;
  /** The video was accepted already. */
  isReviewed?: boolean;
  /** A released slot that no other playtester can have: applications have ended. */
  isClosed?: boolean;
  /** Who claimed the slot and decides for the reader's team; undefined when the reader does. */
  claimantName?: string | undefined;
  /** Who of a team is missing and why, or why it ended. */
  memberName?: string;
  /** Somebody joined a team that others are still missing in. */
  isShort?: boolean;
  absence?: Absence;
  teamEnding?: TeamEnding;
  /** How a dispute ended, whether its freeze was lifted before, and whether another one still freezes orders. */
  ending?: DisputeEnding;
  wasLifted?: boolean;
  stillFrozen?: boolean;
  /** The disputed payment was for a plan. `hours`: the plan's hours were taken, or returned. */
  disputedPlan?: { hours: boolean } | undefined;
}

export type TimeAnswer = "accepted" | "declined" | "none" | "withdrawn";
