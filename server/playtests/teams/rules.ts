import type { MemberRow, NamedMemberRow } from "./store.ts";

/** Whether the member has their seat: was asked or confirmed. */
export const isSeated = ({ status }: Pick<MemberRow, "status">) => status === "asked" || status === "confirmed";

/**
 * Divides a payout (cents): the friends get what was said, and otherwise equal parts of the rest with the claimant, who gets what cannot be
 * divided. The claimant's share comes first. Undefined when more than the payout was promised.
 */
export function divide(payoutCents: number, friends: readonly (number | undefined)[]): number[] | undefined {
  const promised = friends.reduce<number>((sum, share) => sum + (share ?? 0), 0);
  if (promised > payoutCents) return undefined;
  const parts = 1 + friends.filter((share) => share === undefined).length;
  const equal = Math.floor((payoutCents - promised) / parts);
  const given = friends.map((share) => share ?? equal);
  return [payoutCents - given.reduce((sum, share) => sum + share, 0), ...given];
}

/** The seats of a team of `playerCount` that nobody has. `members` are all who were ever asked. */
export function emptySeats(playerCount: number, members: readonly Pick<MemberRow, "seat" | "status">[]): number[] {
  const taken = new Set(members.filter(isSeated).map(({ seat }) => seat));
  return Array.from({ length: playerCount }, (_, seat) => seat).filter((seat) => !taken.has(seat));
}

/**
 * In whose place another friend can be asked: who has not confirmed or is suspended, and of each empty seat the last who had it and has a
 * handle. `members` are all who were ever asked, by seat and time.
 */
export function replaceable<Member extends Pick<NamedMemberRow, "seat" | "status" | "handle" | "user_id" | "suspended_at">>(
  playerCount: number,
  claimantId: string,
  members: readonly Member[],
): Member[] {
  const named = members.filter(({ handle, user_id }) => handle !== null && user_id !== claimantId);
  const seated = named.filter((member) => isSeated(member) && (member.status === "asked" || member.suspended_at !== null));
  const gone = emptySeats(playerCount, members).map((empty) => named.findLast(({ seat }) => seat === empty));
  return [...seated, ...gone.filter((member) => member !== undefined)];
}
