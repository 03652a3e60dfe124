import { friendStatuses, memberStatuses, teamStatuses } from "../../../src/contract/teams/statuses.ts";
import { int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const teams = {
  /** What the friends of a playtester see. Without a row: no handle, and available. */
  playtester_profiles: { user_id: text, handle: orNull(text), available: orElse(int, 1), created_at: int, updated_at: int },
  /** How a playtester stands with another one. The other one has a row of their own, unless they know nothing of it. */
  friends: { id: text, user_id: text, other_id: text, status: oneOf(friendStatuses), created_at: int, updated_at: int },
  /** When `user_id` was last told that `other_id` asks, and declined. */
  friend_requests: { user_id: text, other_id: text, told_at: int, declined_at: orNull(int) },
  /** Playtests that are not new to a playtester who wants emails about new ones: no email names them. */
  known_offers: { user_id: text, playtest_id: text, created_at: int },
  /** Who plays a slot together. A slot has one team that is not ended. */
  teams: {
    id: text, slot_id: text, playtest_id: text, claimant_id: text, status: oneOf(teamStatuses), confirm_by: int, created_at: int,
    ended_at: orNull(int),
  },
  /** `seat` is 0 for the claimant. A seat has one member who was asked or confirmed; its share is the same for all it had. */
  team_members: {
    id: text, team_id: text, slot_id: text, user_id: text, seat: int, status: oneOf(memberStatuses), share_cents: int,
    /** Until when they can confirm; null unless they were asked. */
    answer_by: orNull(int),
    created_at: int, updated_at: int,
  },
};
