import type { LossReason } from "../../../../src/contract/playtester.ts";
import type { ReportOutcome } from "../../../../src/contract/slots.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import type { HeldSlot } from "../types.ts";

const problems: Partial<Record<ReportOutcome, (who: string) => string>> = {
  cancelled: (who) => `The owner cancelled this slot because of the problem ${who} reported.`,
  expired: (who) => `The problem ${who} reported was not answered in time, so this slot was cancelled.`,
};

/** Who claimed the slot of the reader's team: submits, reports and releases it, and answers another time. Undefined when the reader does. */
export const claimantOf = ({ team }: HeldSlot) =>
  team?.members.find(({ isClaimant, isYou }) => isClaimant && !isYou)?.displayName;

/** Each sentence, by why the slot was lost. */
const texts: Record<LossReason, (slot: HeldSlot) => string> = {
  deadline: ({ team }) =>
    `The deadline passed before ${team === null ? "you" : "your team"} submitted a video, so you no longer hold this slot.`,
  closed: () => "This slot closed before all of your team had confirmed.",
  released: (slot) => `${claimantOf(slot) ?? "You"} released this slot.`,
  moved: (slot) =>
    `The owner proposed another time, and ${claimantOf(slot) ?? "you"} declined it or did not answer in time, so the slot was released. This does not count against you.`,
  cancelled: () => "The owner cancelled this slot. This does not count against you.",
  problem: (slot) => problems[slot.blockedReport?.outcome ?? "cancelled"]!(claimantOf(slot) ?? "you"),
};

/** Why the reader no longer holds a slot, and what they were paid for it all the same. */
export const lossNote = (slot: HeldSlot): Markup | false =>
  slot.lost !== null &&
  html`<p>${texts[slot.lost.why](slot)}${slot.lost.earnedCents > 0 && html` Because it was less than 12 hours before the fixed time, you earned <strong>${usd(slot.lost.earnedCents)}</strong>.`}</p>`;
