import { senderTypes } from "../../../src/contract/chat.ts";
import {
  pastPlaytesterScopes,
  selectionModes,
  targetingScopes,
  targetingTypes,
  visibilities,
} from "../../../src/contract/order-body.ts";
import { blockReasons, reportOutcomes } from "../../../src/contract/slots.ts";
import { applicationStatuses, playtestStatuses, slotStatuses } from "../../../src/contract/states/index.ts";
import { int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const playtests = {
  playtests: {
    id: text, game_id: text, owner_id: text, visibility: oneOf(visibilities), quantity: int, duration_minutes: int,
    player_count: int, cost_per_slot_cents: int, payout_cents: int, notes_for_testers: orNull(text),
    status: oneOf(playtestStatuses), is_free_public_trial: int, targeting_type: orNull(oneOf(targetingTypes)),
    targeting_scope: orNull(oneOf(targetingScopes)), past_playtester_scope: orNull(oneOf(pastPlaytesterScopes)),
    targeted_playtester_id: orNull(text),
    /** Name of the tester group that it is offered to. */
    panel: orNull(text),
    /** Whom it is for by their profiles, as JSON lists. An empty one is everyone. */
    target_countries: orElse(text, "[]"), target_languages: orElse(text, "[]"), target_devices: orElse(text, "[]"),
    target_ages: orElse(text, "[]"),
    selection_mode: oneOf(selectionModes), qualifications: orNull(text),
    /** When unclaimed slots close: the end of the review window of manual selection, or the fixed time. Null before the order is active. */
    closes_at: orNull(int),
    /** The fixed time at which it is played. Null when each playtester chooses. */
    scheduled_at: orNull(int),
    /** When an admin let a trial's slots be offered; null until then. */
    approved_at: orNull(int),
    /** `credit` also when crypto paid: that passes through credit. Null while unpaid. */
    paid_with: orNull(oneOf(["credit", "hours", "free"])),
    payment_id: orNull(text),
    /** When an unpaid order is cancelled. */
    pay_by: orNull(int),
    /** The owner's own name for it. No two orders of an owner that are not cancelled have the same. */
    ref: orNull(text),
    /** When its owner was told that the videos of all slots were submitted. */
    all_in_at: orNull(int),
    /** 1 if a slot is claimed only with its game keys. */
    uses_keys: orElse(int, 0),
    created_at: int, updated_at: int,
  },
  /** A game key of a playtest. The playtester who holds its slot sees it, so it is never given to another one. */
  playtest_keys: {
    playtest_id: text, position: int, ciphertext: text,
    /** The slot that has it. Null while nobody has seen it. */
    slot_id: orNull(text),
    /** When it was taken from its slot (ms). Nobody gets it again. */
    retired_at: orNull(int),
    /** The member of the slot's team who sees it. Null for a slot without a team. */
    user_id: orNull(text),
  },
  slots: {
    id: text, playtest_id: text, game_id: text, owner_id: text, status: oneOf(slotStatuses), playtester_id: orNull(text),
    /** The rejected slot that this one is a retry of. */
    retry_of: orNull(text),
    /** The expired or released slot that this one replaces. */
    replaces: orNull(text),
    reserved_at: orNull(int), deadline_at: orNull(int), submitted_at: orNull(int), ended_at: orNull(int), created_at: int,
    /** The fixed time: of an open slot that of its playtest, otherwise the one that its playtester agreed to. */
    scheduled_at: orNull(int),
    /** Another time that the owner proposes to its playtester, and when the slot is released unless they accept it. */
    proposed_at: orNull(int), accept_by: orNull(int),
    /** 1 if its playtester lost it because its owner moved or cancelled it. It does not count against them. */
    excused: orElse(int, 0),
    /** When its owner returned it after a reported problem, if that was later than the claim and the fixed time (ms): see `buildTimeSql`. */
    build_at: orNull(int),
  },
  ratings: { slot_id: text, score: orNull(int), comment: orNull(text), created_at: int },
  rejections: { slot_id: text, reason: text, allow_retry: int, created_at: int },
  /** A playtester's report that a build cannot be played. */
  blocked_reports: {
    id: text, slot_id: text, reason_code: oneOf(blockReasons), notes: orNull(text), reported_at: int,
    /** When the slot is cancelled unless somebody answers. Null only for a report from before such a limit existed. */
    answer_by: orNull(int),
    resolved_at: orNull(int), outcome: orNull(oneOf(reportOutcomes)),
    /** What the playtester was told. */
    message: orNull(text),
  },
  applications: {
    id: text, playtest_id: text, playtester_id: text, status: oneOf(applicationStatuses), qualifications_response: orNull(text),
    reviewed_at: orNull(int), assigned_slot_id: orNull(text), created_at: int,
  },
  /** Groups of playtesters that a playtest can be offered to. A playtest refers to a group by its name. */
  tester_groups: { id: text, name: text, created_at: int },
  tester_group_members: { group_id: text, user_id: text, created_at: int },
  /** A version of an agreement. One without a text ends the agreement. */
  agreements: {
    id: text,
    /** Null for the agreement of the server. */
    game_id: orNull(text),
    number: int, text: orNull(text), sha256: text, created_at: int,
  },
  consents: {
    id: text, agreement_id: text, user_id: text,
    /** Null once the account is deleted. */
    address: orNull(text),
    created_at: int,
  },
  conversations: {
    id: text, owner_id: text, playtester_id: text, blocked_by_owner: orElse(int, 0), blocked_by_playtester: orElse(int, 0),
    last_message_at: orNull(int), last_message_preview: orNull(text), created_at: int,
  },
  messages: {
    id: text, conversation_id: text, sender_type: oneOf(senderTypes), sender_id: text, content: text, read_at: orNull(int),
    /** When an email mentioned it. */
    mailed_at: orNull(int),
    created_at: int,
  },
};
