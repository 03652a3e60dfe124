import type { PastPlaytesterScope, TargetingScope, TargetingType } from "../../../src/contract/order-body.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";

/** Whether a playtester may take a slot of a playtest: the first rule that says no, in words. */
export interface ClaimFacts {
  /** Every slot of this playtest the playtester ever had, by status. */
  ownStatuses: readonly SlotStatus[];
  /** Had a slot of this game, of any game of this owner. */
  playedGame: boolean;
  playedOwner: boolean;
  /** Has an accepted slot of this game, of any game of this owner. */
  acceptedGame: boolean;
  acceptedOwner: boolean;
  /** Slots the playtester holds now, and how many they may. */
  held: number;
  maxHeld: number;
}

export interface Targeting {
  type: TargetingType | null;
  scope: TargetingScope | null;
  pastScope: PastPlaytesterScope | null;
  playtesterId: string | null;
}

export function whyNotFor(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  const inGame = targeting.scope === "game";
  if (targeting.type === "new" && (inGame ? facts.playedGame : facts.playedOwner))
    return `This playtest is for people who never played ${inGame ? "this game" : "a game of this owner"}.`;
  if (targeting.type !== "past") return undefined;
  if (targeting.pastScope === "specific")
    return targeting.playtesterId === playtesterId ? undefined : "This playtest is for somebody else.";
  if (inGame ? facts.acceptedGame : facts.acceptedOwner) return undefined;
  return `This playtest is for people whose playtest of ${inGame ? "this game" : "a game of this owner"} was accepted before.`;
}

const heldOrPassed: readonly SlotStatus[] = ["reserved", "blocked", "submitted", "publishing", "accepted"];

/** Why they may not apply: an application holds nothing, so how many slots they hold does not matter yet. */
export function whyNotApply(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  if (facts.ownStatuses.some((status) => heldOrPassed.includes(status))) return "You have a slot of this playtest already.";
  if (facts.ownStatuses.length > 0) return "You had a slot of this playtest before, so you cannot take another.";
  return whyNotFor(targeting, playtesterId, facts);
}

export const holdsTooMany = (facts: Pick<ClaimFacts, "held" | "maxHeld">) => facts.held >= facts.maxHeld;

export function whyNotClaim(targeting: Targeting, playtesterId: string, facts: ClaimFacts): string | undefined {
  const why = whyNotApply(targeting, playtesterId, facts);
  if (why || !holdsTooMany(facts)) return why;
  return `You hold ${facts.held} slots already; submit or release one first.`;
}
