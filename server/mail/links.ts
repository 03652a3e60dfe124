import type { Role } from "../../src/contract/endpoint.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { EventData } from "../../src/contract/events/payloads.ts";
import { operator, pages, portal, studio } from "../../src/contract/pages/addresses.ts";
import type { Config } from "../config/schema.ts";
import type { Action } from "./texts.ts";

/**
 * What owners and operators do in Studio or with the command. `/todo/TASK/ID` shows the commands for it. A problem is answered by its
 * owner, who can also cancel the slot; `report` is the same for operators.
 */
export const tasks = [
  "review",
  "playtest",
  "problem",
  "report",
  "applications",
  "chat",
  "credit",
  "payment",
  "subscription",
  "approval",
  "publication",
  "webhook",
  "budget",
  "order",
  "finding",
] as const;
export type Task = (typeof tasks)[number];

type Base = Pick<Config, "baseUrl">;

/** The pages of playtesters. */
export const portalLinks = ({ baseUrl }: Base) => ({
  slot: (id: string) => baseUrl + portal.slot(id),
  conversation: (id: string) => baseUrl + portal.conversation(id),
  offers: baseUrl + portal.offers(),
  offer: (playtestId: string) => baseUrl + portal.offer(playtestId),
  agreement: (playtestId: string) => baseUrl + portal.agreement(playtestId),
  friends: baseUrl + portal.friends(),
  earnings: baseUrl + portal.earnings(),
  payoutDetails: baseUrl + portal.payoutDetails(),
  emailSettings: baseUrl + portal.emails(),
});

/** The pages of Studio for what an owner can do in a browser: that of one, and the page for a mail that names none. */
const studioPages: Partial<Record<Task, readonly [all: () => string, one?: (id: string) => string]>> = {
  review: [studio.inbox, studio.slot],
  playtest: [studio.inbox, studio.playtest],
  problem: [studio.inbox, studio.problem],
  applications: [studio.inbox, studio.applications],
  order: [studio.approvals, studio.approval],
  chat: [studio.messages, studio.conversation],
  finding: [studio.games, studio.finding],
  credit: [studio.billing],
  payment: [studio.billing, studio.payment],
  subscription: [studio.billing],
  budget: [studio.approvals],
  webhook: [studio.webhooks, studio.webhook],
};

/** The path of the page of Studio for a task. Undefined for what only the command line does. */
export const studioPath = (task: Task, id?: string | null): string | undefined => {
  const [all, one] = studioPages[task] ?? [];
  return id && one ? one(id) : all?.();
};

/** What operators do on their own pages. */
const operatorTasks: ReadonlySet<Task> = new Set(["report", "approval", "publication"]);

/** The page for a task: in Studio or of operators, or one that shows the commands. */
export const taskLink = ({ baseUrl }: Base, task: Task, id?: string | null) =>
  baseUrl + (operatorTasks.has(task) ? operator.waiting() : (studioPath(task, id) ?? pages.todo(task) + (id ? `/${id}` : "")));

type PathOf<Kind extends EventKind> = (data: EventData<Kind>) => string;

const ofSlot = ({ slotId }: { slotId: string }) => portal.slot(slotId);
const toFriends = () => portal.friends();
const toOffers = () => portal.offers();
const ofOwnApplications = () => portal.applications();

/** The page of a playtester about an event. Owners and operators alone hear of the other kinds. */
const portalPaths: { [Kind in EventKind]?: PathOf<Kind> } = {
  "slot.reserved": ofSlot,
  "slot.submitted": ofSlot,
  "slot.accepted": ofSlot,
  "slot.rejected": ofSlot,
  "slot.expired": ofSlot,
  "slot.blocked": ofSlot,
  "slot.resolved": ofSlot,
  "slot.due": ofSlot,
  "slot.published": ofSlot,
  "slot.starting": ofSlot,
  "slot.move_proposed": ofSlot,
  "slot.move_answered": ofSlot,
  "slot.cancelled": ofSlot,
  "friend.requested": toFriends,
  "friend.accepted": toFriends,
  "team.requested": ofSlot,
  "team.confirmed": ofSlot,
  "team.incomplete": ofSlot,
  // The slot is not shown any more to whoever was only asked.
  "team.ended": toOffers,
  "application.created": ofOwnApplications,
  "application.approved": ofOwnApplications,
  "application.rejected": ofOwnApplications,
  "application.auto_rejected": ofOwnApplications,
  "chat.message": ({ conversationId }) => portal.conversation(conversationId),
  "payout.completed": () => portal.earnings(),
  "payout.failed": () => portal.earnings(),
};

/** The path of the page about an event, for a reader of this role. Null where there is none. */
export function eventPath<Kind extends EventKind>(role: Role, kind: Kind, data: EventData<Kind>): string | null {
  if (role === "playtester") return portalPaths[kind]?.(data) ?? null;
  return taskAction({ baseUrl: "" }, kind, data).url;
}

type TaskOf<Kind extends EventKind> = (data: EventData<Kind>) => readonly [label: string, task: Task, id: string | null];

const ofPlaytest = ({ playtestId }: { playtestId: string }) => ["See the playtest", "playtest", playtestId] as const;
const ofVideo = ({ slotId }: { slotId: string }) => ["See the submission", "review", slotId] as const;
const ofApplications = ({ playtestId }: { playtestId: string }) => ["See the applications", "applications", playtestId] as const;
const ofBudget = () => ["See the budgets", "budget", null] as const;
const ofSubscription = () => ["See the subscription", "subscription", null] as const;
const ofPayment = ({ paymentId }: { paymentId: string }) => ["See the payment", "payment", paymentId] as const;
const ofWebhook = ({ webhookId }: { webhookId: string }) => ["See the webhook", "webhook", webhookId] as const;
const ofFinding = ({ findingId }: { findingId: string }) => ["See the finding", "finding", findingId] as const;
const ofApproval = ({ playtestId, slotId }: { playtestId: string; slotId?: string | null }) =>
  ["See the approval", "approval", slotId ?? playtestId] as const;

/** What an owner or operator does about an event. */
const taskByKind: { [Kind in EventKind]: TaskOf<Kind> } = {
  "slot.submitted": ({ slotId }) => ["Review the video", "review", slotId],
  "slot.blocked": ({ slotId }) => ["Answer the problem", "problem", slotId],
  "slot.reserved": ofPlaytest,
  "slot.accepted": ofPlaytest,
  "slot.rejected": ofPlaytest,
  "slot.expired": ofPlaytest,
  "slot.published": ofVideo,
  "slot.publish_failed": ofVideo,
  "slot.consent_withdrawn": ofVideo,
  "slot.resolved": ofPlaytest,
  "slot.due": ofPlaytest,
  "slot.starting": ofPlaytest,
  "slot.move_proposed": ofPlaytest,
  "slot.move_answered": ofPlaytest,
  "slot.cancelled": ofPlaytest,
  "playtest.completed": ofPlaytest,
  "playtest.keys_low": ofPlaytest,
  "application.created": ofApplications,
  "application.approved": ofApplications,
  "application.rejected": ofApplications,
  "application.auto_rejected": ofApplications,
  "chat.message": ({ conversationId }) => ["Read the conversation", "chat", conversationId],
  "credit.low": () => ["Add credit", "credit", null],
  "order.approval_requested": ({ approvalId }) => ["Decide on the order", "order", approvalId],
  "order.approval_decided": ({ approvalId }) => ["See the order", "order", approvalId],
  "budget.threshold": ofBudget,
  "budget.exceeded": ofBudget,
  "payment.completed": ofPayment,
  "payment.failed": ofPayment,
  "payment.disputed": ofPayment,
  "payment.dispute_ended": ofPayment,
  "payout.completed": () => ["See the payments", "payment", null],
  "payout.failed": () => ["See the payments", "payment", null],
  "subscription.created": ofSubscription,
  "subscription.renewed": ofSubscription,
  "subscription.cancelled": ofSubscription,
  "subscription.payment_failed": ofSubscription,
  "approval.pending": ofApproval,
  "approval.decided": ofPlaytest,
  "finding.created": ofFinding,
  "finding.merged": ({ intoId }) => ofFinding({ findingId: intoId }),
  "finding.closed": ofFinding,
  "finding.reopened": ofFinding,
  // Only playtesters get these.
  "friend.requested": () => ["See the messages", "chat", null],
  "friend.accepted": () => ["See the messages", "chat", null],
  "team.requested": ofPlaytest,
  "team.confirmed": ofPlaytest,
  "team.incomplete": ofPlaytest,
  "team.ended": ofPlaytest,
  "webhook.disabled": ofWebhook,
  "test.ping": ofWebhook,
};

/** Of an event that a newer version recorded, which runs beside this one during an upgrade. */
const ofUnknown = () => ["See what waits", "review", null] as const;

/** The page for an owner or operator about an event. */
export function taskAction<Kind extends EventKind>(base: Base, kind: Kind, data: EventData<Kind>): Action {
  const known: { [Other in EventKind]?: TaskOf<Other> } = taskByKind;
  const [label, task, id] = (known[kind] ?? ofUnknown)(data);
  return { label, url: taskLink(base, task, id) };
}
