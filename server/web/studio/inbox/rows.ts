import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import type { blockReasons } from "../../../../src/contract/slots.ts";
import { lengthText } from "../../../../src/contract/text/length.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import { command, plural } from "../parts.ts";
import type { StudioContext } from "../types.ts";
import type { Waiting } from "./waiting.ts";

type Submission = Waiting["reviews"][number];
type Contact = Waiting["contacts"][number];
type Item = Data<"getInbox">["items"][number];

/** One thing that waits for the owner. Times are ISO 8601. */
export interface Row {
  kind: "problem" | "application" | "keys" | "order" | "approval" | "review" | "message" | "credit";
  title: Markup;
  text: Markup | null;
  /** The latest time to act, or when it began to wait. */
  dueAt: string | null;
  since: string | null;
}

export const reasons: Record<(typeof blockReasons)[number], string> = {
  build_unavailable: "The game cannot be downloaded.",
  crash: "The game crashes.",
  key_invalid: "A game key does not work.",
  not_as_described: "The game is not as described.",
  unsafe: "The game seems unsafe.",
  other: "Something else is wrong.",
};

const who = ({ playtester }: Submission) => playtester?.displayName ?? "A playtester";

const problemRow = (one: Submission): Row => ({
  kind: "problem",
  title: html`<a href="${studio.problem(one.slot.id)}">${who(one)} cannot play ${one.game.name}</a>`,
  text: one.blockedReport && html`${one.blockedReport.notes || reasons[one.blockedReport.reasonCode]}`,
  dueAt: one.blockedReport?.answerBy ?? null,
  since: one.blockedReport?.reportedAt ?? null,
});

const reviewRow = (one: Submission): Row => ({
  kind: "review",
  title: html`<a href="${studio.slot(one.slot.id)}">${who(one)} played ${one.game.name}</a>`,
  text: html`${one.submission && typeof one.submission.videoDurationSeconds === "number" && `${lengthText(one.submission.videoDurationSeconds)}${one.submission.notes ? " · " : ""}`}${one.submission?.notes}`,
  dueAt: null,
  since: one.submission?.createdAt ?? one.slot.createdAt,
});

/** Of a conversation only its last message is known, which may be the owner's own. */
function messageRow(one: Contact): Row {
  const isTheirs = one.lastMessageSenderType !== "game_owner";
  return {
    kind: "message",
    title: html`<a href="${studio.conversation(one.conversationId ?? "")}">${plural(one.unreadCount, "unread message")} from ${one.displayName}</a>`,
    text: isTheirs && one.lastMessagePreview !== null ? html`${one.lastMessagePreview}` : null,
    dueAt: null,
    since: isTheirs ? one.lastMessageAt : null,
  };
}

/** What only the list of a server with an inbox says. */
function itemRow(context: StudioContext, { kind, count, dueAt, firstId, amountCents }: Item): Row | undefined {
  const row = { dueAt, since: null };
  const first = firstId ?? "";
  if (count === 0) return undefined;
  if (kind === "applications")
    return {
      ...row,
      kind: "application",
      title: html`<a href="${studio.applications(first)}">${plural(count, "application")} to decide on</a>`,
      text: null,
    };
  if (kind === "lackingKeys")
    return {
      ...row,
      kind: "keys",
      title: html`<a href="${studio.playtest(first)}">${plural(count, "playtest")} ${count === 1 ? "has" : "have"} open slots without game keys</a>`,
      text: command(context, `playtest playtests keys add ${first} --file keys.txt`),
    };
  if (kind === "unpaidOrders")
    return {
      ...row,
      kind: "order",
      title: html`<a href="${studio.playtest(first)}">${plural(count, "order")} not paid</a>`,
      text: null,
    };
  if (kind === "waitingOrders")
    return {
      ...row,
      kind: "approval",
      title: html`<a href="${studio.approvals()}">${plural(count, "order")} of an API key to decide on</a>`,
      text: null,
    };
  if (kind === "lowCredit")
    return {
      ...row,
      kind: "credit",
      title: html`<a href="${studio.billing()}#credit">Your credit is low: ${usd(amountCents ?? 0)}</a>`,
      text: null,
    };
  return undefined;
}

const timeOf = (iso: string | null) => (iso === null ? Number.POSITIVE_INFINITY : Date.parse(iso));

/** What waits: the nearest deadline first, then what has waited longest. */
export function rowsOf(context: StudioContext, { problems, reviews, contacts, items }: Waiting): Row[] {
  const rows = [
    ...problems.map(problemRow),
    ...items.flatMap((item) => itemRow(context, item) ?? []),
    ...reviews.map(reviewRow),
    ...contacts.map(messageRow),
  ];
  return rows.sort((a, b) => compare(timeOf(a.dueAt), timeOf(b.dueAt)) || compare(timeOf(a.since), timeOf(b.since)));
}

/** Infinity minus itself is not a number. */
const compare = (a: number, b: number) => (a === b ? 0 : a - b);
