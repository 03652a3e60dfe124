import { type Audience, type Traits, whyNotOf } from "../../../src/contract/accounts/audience-text.ts";
import type { PastPlaytesterScope, TargetingScope, TargetingType } from "../../../src/contract/order-body.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { iso } from "../../lib/time.ts";

/** What decides whether a playtester may claim a slot of a playtest. The functions below return the reason for a refusal. */
export interface ClaimFacts {
  /** The status of every slot of this playtest that the playtester ever had. */
  ownStatuses: readonly SlotStatus[];
  /** Had a slot of this game; of any game of this owner. */
  playedGame: boolean;
  playedOwner: boolean;
  /** Has an accepted slot of this game; of any game of this owner. */
  acceptedGame: boolean;
  acceptedOwner: boolean;
  /** How many slots the playtester holds now, and the maximum. */
  held: number;
  maxHeld: number;
  /** The fixed time (ms) of another slot that the playtester holds and that overlaps with this playtest. */
  overlap?: number | undefined;
  /** What the profile says. Undefined where it does not matter. */
  traits?: Traits | undefined;
}

export interface Targeting {
  type: TargetingType | null;
  scope: TargetingScope | null;
  pastScope: PastPlaytesterScope | null;
  playtesterId: string | null;
  /** Whom it is for by their profiles. */
  audience: Audience;
}

export function whyNotFor(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  return whyNotByHistory(targeting, playtesterId, facts) ?? (facts.traits && whyNotOf(targeting.audience, facts.traits));
}

/** Why the playtester is not one of those who the playtest is for, by what they played so far. */
export function whyNotByHistory(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  const inGame = targeting.scope === "game";
  if (targeting.type === "new" && (inGame ? facts.playedGame : facts.playedOwner))
    return `This playtest is for playtesters who have never played ${inGame ? "this game" : "a game by this owner"}.`;
  if (targeting.type !== "past") return undefined;
  if (targeting.pastScope === "specific")
    return targeting.playtesterId === playtesterId ? undefined : "This playtest is reserved for another playtester.";
  if (inGame ? facts.acceptedGame : facts.acceptedOwner) return undefined;
  return `This playtest is for playtesters with an accepted playtest of ${inGame ? "this game" : "a game by this owner"}.`;
}

const heldOrAccepted: readonly SlotStatus[] = ["reserved", "blocked", "submitted", "publishing", "accepted"];

/** Why the playtester may not apply. How many slots they hold matters only when the application is approved. */
export function whyNotApply(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  if (facts.ownStatuses.some((status) => heldOrAccepted.includes(status))) return "You already have a slot of this playtest.";
  if (facts.ownStatuses.length > 0) return "You already had a slot of this playtest, so you cannot get another.";
  return whyNotFor(targeting, playtesterId, facts) ?? whyNotAtThatTime(facts);
}

function whyNotAtThatTime({ overlap }: ClaimFacts): string | undefined {
  if (overlap === undefined) return undefined;
  return `You have a slot at ${iso(overlap)} already, and cannot play both. Release that one first if you prefer this one.`;
}

export const slotsText = (count: number) => plural(count, "slot");

export const holdsTooMany = (facts: Pick<ClaimFacts, "held" | "maxHeld">) => facts.held >= facts.maxHeld;

export function whyNotClaim(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  const why = whyNotApply(targeting, playtesterId, facts);
  if (why || !holdsTooMany(facts)) return why;
  return `You already hold ${slotsText(facts.held)}, the maximum. Submit or release one first.`;
}
