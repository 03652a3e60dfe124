import type { Role } from "../endpoint.ts";
import { eventKinds } from "./kinds.ts";

/** What happens with the emails about one kind of event: each is sent, none is, or one email a day lists them. */
export const mailModes = ["on", "off", "digest"] as const;
export type MailMode = (typeof mailModes)[number];

/** Playtests that a playtester can claim since the last email. No event: nobody else hears of it, and there is no notification. */
export const newPlaytests = "new_playtests";

/** What a person chooses emails about: kinds of events, and new playtests. */
export const mailKinds = [...eventKinds, newPlaytests] as const;
export type MailKind = (typeof mailKinds)[number];

/**
 * What an account of each role gets emails about, unless its owner turns them off. Emails about the security of an account are not among
 * these and cannot be turned off.
 */
export const mailedKinds = {
  game_owner: [
    "slot.submitted",
    "slot.blocked",
    "slot.resolved",
    "slot.publish_failed",
    "slot.consent_withdrawn",
    "slot.move_answered",
    "playtest.keys_low",
    "application.created",
    "chat.message",
    "approval.decided",
    "credit.low",
    "budget.threshold",
    "budget.exceeded",
    "order.approval_requested",
    "payment.completed",
    "payment.failed",
    "subscription.payment_failed",
    "webhook.disabled",
  ],
  playtester: [
    "slot.accepted",
    "slot.rejected",
    "slot.published",
    "slot.due",
    "slot.expired",
    "slot.starting",
    "slot.move_proposed",
    "slot.move_answered",
    "slot.cancelled",
    "slot.resolved",
    "friend.requested",
    "friend.accepted",
    "team.requested",
    "team.confirmed",
    "team.incomplete",
    "team.ended",
    "application.approved",
    "application.rejected",
    "application.auto_rejected",
    "chat.message",
    "payout.completed",
    "payout.failed",
    newPlaytests,
  ],
  admin: ["approval.pending", "slot.blocked", "slot.publish_failed"],
} as const satisfies Record<Role, readonly MailKind[]>;

export type MailedKind = (typeof mailedKinds)[Role][number];

/** Whether only those get these emails who ask for them by name. They get one a day at most. */
export const isAskedFor = (kind: MailKind) => kind === newPlaytests;

/** What happens with the emails about a kind until the person chooses. */
export const initialMode = (kind: MailKind): MailMode => (isAskedFor(kind) ? "off" : "on");

/** What a choice means for a kind. */
export const modeChosen = (kind: MailKind, chosen: MailMode): MailMode =>
  isAskedFor(kind) && chosen === "on" ? "digest" : chosen;

/** What the emails of each kind are about, in the words of a settings page. */
export const mailedTopics: Record<MailedKind, string> = {
  "slot.submitted": "A video to review",
  "slot.accepted": "Your video was accepted",
  "slot.rejected": "Your video was rejected",
  "slot.due": "A deadline that is near",
  "slot.expired": "A slot that you lost because its deadline passed",
  "slot.starting": "A playtest at a fixed time that begins soon",
  "slot.move_proposed": "Another time for a playtest at a fixed time",
  "slot.move_answered": "The answer to another time that was proposed, or its end",
  "slot.cancelled": "A slot that its owner cancelled",
  "slot.blocked": "A problem that a playtester reported",
  "slot.resolved": "How a reported problem ended",
  "slot.published": "Your video was published",
  "slot.publish_failed": "A video that a video platform did not publish",
  "slot.consent_withdrawn": "A playtester who does not want a video to be published",
  "playtest.keys_low": "Game keys that run out",
  "application.created": "A new application",
  "application.approved": "Your application was approved",
  "application.rejected": "Your application was rejected",
  "application.auto_rejected": "A playtest you applied to is full or over",
  "friend.requested": "A request from another playtester",
  "friend.accepted": "Your request was accepted",
  "team.requested": "A friend wants to play with you",
  "team.confirmed": "Your team is complete, or has a new member",
  "team.incomplete": "A member of your team is missing",
  "team.ended": "A team that ended before it played",
  "chat.message": "Messages you have not read",
  "approval.pending": "A free trial or its video that waits for approval",
  "approval.decided": "The decision on your free trial",
  "credit.low": "Your credit is low",
  "budget.threshold": "A budget that is half, mostly or all spent",
  "budget.exceeded": "What a budget refused",
  "order.approval_requested": "An order that waits for your approval",
  "payment.completed": "Receipts",
  "payment.failed": "A payment that failed or was sent back",
  "subscription.payment_failed": "A renewal that could not be charged",
  "payout.completed": "A payout was sent",
  "payout.failed": "A payout failed",
  "webhook.disabled": "A webhook was disabled",
  [newPlaytests]: "New playtests that you can claim",
};
