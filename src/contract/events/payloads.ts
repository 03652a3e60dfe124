import * as z from "zod";
import { budgetLeft } from "../accounts/budgets.ts";
import { disputeEndings } from "../billing.ts";
import { httpUrl, id, timestamp } from "../fields.ts";
import { findingStatuses } from "../findings/statuses.ts";
import { publishers } from "../publications/publishers.ts";
import { blockReasons, reportOutcomes } from "../slots.ts";
import { slotStatuses, subscriptionStatuses } from "../states/index.ts";
import { absences, teamEndings } from "../teams/statuses.ts";
import { type EventKind, eventKinds } from "./kinds.ts";

const slot = {
  slotId: id(),
  playtestId: id(),
  gameId: id(),
  playerId: id().nullable().meta({ description: "The playtester; null for a slot that nobody held." }),
};
const application = z.strictObject({ applicationId: id(), playtestId: id(), gameId: id(), playerId: id() });
const payment = z.strictObject({
  paymentId: id(),
  amountCents: z.int(),
  status: z.enum(["completed", "failed"]),
  provider: z.string(),
});
const disputed = z.strictObject({
  paymentId: id(),
  amountCents: z.int().meta({ description: "What the dispute took of the payment." }),
});
const subscription = z.strictObject({ subscriptionId: id(), planKey: z.string(), status: z.enum(subscriptionStatuses) });
const payout = z.strictObject({ payoutId: id(), amountCents: z.int() });

const { id: _, approveOverCents: __, ...counted } = budgetLeft.shape;
const budget = { budgetId: id(), ...counted };

const orderApproval = { approvalId: id(), gameId: id(), keyId: id(), totalCents: z.int() };
const finding = z.strictObject({
  findingId: id(),
  gameId: id(),
  number: z.int().meta({ description: "Number of the finding in its game." }),
  title: z.string(),
  status: z.enum(findingStatuses),
});

const friendship = z.strictObject({ friendId: id(), playerId: id().meta({ description: "The other playtester." }) });
const team = { ...slot, playerId: id().meta({ description: "The playtester who claimed the slot." }) };

/** What `data` of an event says, for each kind. */
export const eventPayloads = {
  "slot.reserved": z.strictObject({ ...slot, reservedAt: timestamp() }),
  "slot.submitted": z.strictObject({ ...slot, submittedAt: timestamp() }),
  "slot.accepted": z.strictObject({ ...slot, acceptedAt: timestamp() }),
  "slot.rejected": z.strictObject({ ...slot, rejectedAt: timestamp() }),
  "slot.expired": z.strictObject({ ...slot, expiredAt: timestamp() }),
  "slot.blocked": z.strictObject({
    ...slot,
    reasonCode: z.enum(blockReasons),
    notes: z.string().nullable(),
    reportedAt: timestamp(),
  }),
  "slot.resolved": z.strictObject({
    ...slot,
    outcome: z.enum(reportOutcomes),
    message: z.string().nullable(),
    resolvedAt: timestamp(),
  }),
  "slot.due": z.strictObject({ ...slot, deadlineAt: timestamp() }),
  "slot.starting": z.strictObject({ ...slot, scheduledAt: timestamp() }),
  "slot.move_proposed": z.strictObject({
    ...slot,
    scheduledAt: timestamp().meta({ description: "The time that is proposed." }),
    previousAt: timestamp().meta({ description: "The time that the playtester agreed to." }),
    answerBy: timestamp().meta({ description: "When the slot is released unless the playtester accepts." }),
  }),
  "slot.move_answered": z.strictObject({
    ...slot,
    scheduledAt: timestamp().meta({ description: "The time that was proposed." }),
    answer: z.enum(["accepted", "declined", "none", "withdrawn"]).meta({
      description:
        "`none`: the playtester did not answer in time. `withdrawn`: the owner took the proposal back (to the playtester).",
    }),
    answeredAt: timestamp(),
  }),
  "slot.cancelled": z.strictObject({
    ...slot,
    payoutCents: z.int().meta({ description: "What its playtester earned nevertheless." }),
    cancelledAt: timestamp(),
  }),
  "slot.published": z.strictObject({
    ...slot,
    adapter: z.enum(publishers).meta({ description: "Where it was published; `own` is the server's own page." }),
    url: httpUrl().meta({ description: "Where everybody can watch it." }),
    publishedAt: timestamp(),
  }),
  "slot.consent_withdrawn": z.strictObject({
    ...slot,
    reason: z.string().nullable().meta({ description: "Why, in the playtester's words; null without a reason." }),
    withdrawnAt: timestamp(),
  }),
  "slot.publish_failed": z.strictObject({
    ...slot,
    adapter: z.enum(publishers).meta({ description: "Where it could not be published." }),
    reason: z.string(),
    url: httpUrl().meta({ description: "The server's own page, which shows the video instead." }),
    failedAt: timestamp(),
  }),
  "credit.low": z.strictObject({ balanceCents: z.int(), thresholdCents: z.int() }),
  "budget.threshold": z.strictObject({
    ...budget,
    percent: z.literal([50, 80, 100]).meta({ description: "How much of its limit is spent, at least." }),
  }),
  "budget.exceeded": z.strictObject(budget),
  "order.approval_requested": z.strictObject({ ...orderApproval, expiresAt: timestamp() }),
  "order.approval_decided": z.strictObject({
    ...orderApproval,
    verdict: z.enum(["approved", "declined", "expired"]),
    playtestId: id().nullable(),
  }),
  "approval.pending": z.strictObject({
    playtestId: id(),
    gameId: id(),
    slotId: id()
      .nullable()
      .meta({ description: "The slot whose video waits for approval; null when the free trial itself does." }),
  }),
  "approval.decided": z.strictObject({
    playtestId: id(),
    gameId: id(),
    decision: z.enum(["approved", "rejected"]),
    reason: z.string().nullable(),
  }),
  "subscription.created": subscription,
  "subscription.renewed": subscription,
  "subscription.cancelled": subscription,
  "subscription.payment_failed": subscription,
  "payment.completed": payment,
  "payment.failed": payment,
  "payment.disputed": disputed,
  "payment.dispute_ended": disputed.extend({ outcome: z.enum(disputeEndings) }),
  "payout.completed": payout,
  "payout.failed": payout,
  "chat.message": z.strictObject({
    messageId: id(),
    conversationId: id(),
    senderType: z.enum(["game_owner", "playtester"]),
    senderId: id(),
  }),
  "application.created": application,
  "application.approved": application,
  "application.rejected": application,
  "application.auto_rejected": application,
  "playtest.completed": z.strictObject({
    playtestId: id(),
    gameId: id(),
    slots: z.record(z.enum(slotStatuses), z.int()).meta({ description: "Number of slots with each status." }),
    completedAt: timestamp(),
  }),
  "playtest.keys_low": z.strictObject({
    playtestId: id(),
    gameId: id(),
    unused: z.int().meta({ description: "Game keys that nobody has seen." }),
    needed: z.int().meta({ description: "Game keys that the open slots need." }),
  }),
  "finding.created": finding,
  "finding.merged": finding.extend({ intoId: id().meta({ description: "The finding that its evidence was moved to." }) }),
  "finding.closed": finding,
  "finding.reopened": finding,
  "friend.requested": friendship,
  "friend.accepted": friendship,
  "team.requested": z.strictObject({ ...team, shareCents: z.int(), expiresAt: timestamp() }),
  "team.confirmed": z.strictObject({
    ...team,
    deadlineAt: timestamp().nullable().meta({ description: "Null while a reported problem pauses it." }),
  }),
  "team.incomplete": z.strictObject({
    ...team,
    memberId: id().meta({ description: "The member who is missing." }),
    absence: z.enum(absences).meta({ description: "`expired`: did not answer in time." }),
  }),
  "team.ended": z.strictObject({
    ...team,
    ending: z.enum(teamEndings).meta({
      description:
        "`expired`: not everybody confirmed in time. `moved`: another fixed time was proposed and not accepted. `replaced`: another friend was asked in the place of the reader; the team goes on.",
    }),
  }),
  "webhook.disabled": z.strictObject({ webhookId: id(), url: httpUrl() }),
  "test.ping": z.strictObject({ webhookId: id() }),
} satisfies Record<EventKind, z.ZodObject>;

export type EventData<Kind extends EventKind = EventKind> = z.output<(typeof eventPayloads)[Kind]>;

/** What a webhook receives: one object for each kind, told apart by `event`. */
export const eventDelivery = z.union(
  eventKinds.map((kind) => z.strictObject({ event: z.literal(kind), timestamp: timestamp(), data: eventPayloads[kind] })),
);
