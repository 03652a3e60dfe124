import type { LossReason } from "../../../../src/contract/playtester.ts";
import type { ReportOutcome } from "../../../../src/contract/slots.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import type { HeldSlot } from "../types.ts";

const problems: Partial<Record<ReportOutcome, string>> = {
  cancelled: "The owner cancelled this slot because of the problem you reported.",
  expired: "The problem you reported was not answered in time, so this slot was cancelled.",
};

const claimantOf = ({ team }: HeldSlot) => team?.members.find(({ isClaimant, isYou }) => isClaimant && !isYou)?.displayName;

/** Each sentence, by why the slot was lost. */
const texts: Record<LossReason, (slot: HeldSlot) => string> = {
  deadline: ({ team }) =>
    `The deadline passed before ${team === null ? "you" : "your team"} submitted a video, so you no longer hold this slot.`,
  closed: () => "This slot closed before all of your team had confirmed.",
  released: (slot) => `${claimantOf(slot) ?? "You"} released this slot.`,
  moved: (slot) =>
    `The owner proposed another time, and ${claimantOf(slot) ?? "you"} declined it or did not answer in time, so the slot was released. This does not count against you.`,
  cancelled: () => "The owner cancelled this slot. This does not count against you.",
  problem: ({ blockedReport }) => problems[blockedReport?.outcome ?? "cancelled"]!,
};

/** Why the reader no longer holds a slot, and what they were paid for it all the same. */
export const lossNote = (slot: HeldSlot): Markup | false =>
  slot.lost !== null &&
  html`<p>${texts[slot.lost.why](slot)}${slot.lost.earnedCents > 0 && html` Because it was less than 12 hours before the fixed time, you earned <strong>${usd(slot.lost.earnedCents)}</strong>.`}</p>`;
