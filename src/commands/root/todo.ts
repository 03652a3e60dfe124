import type { Data } from "../../api/client.ts";
import type { InboxKind } from "../../contract/notifications.ts";
import { plural, usd } from "../../io/text.ts";

type Item = Data<"getInbox">["items"][number];

/** One thing that waits, and the next command. */
export interface Todo {
  kind: InboxKind;
  count: number;
  dueAt: string | null;
  text: string;
  command: string;
}

const wait = (count: number) => (count === 1 ? "waits" : "wait");

/** `addCredit`: the command that adds credit, if there is one on this server. */
type Line = (item: Item, addCredit: string | undefined) => readonly [text: string, command: string];
const id = ({ firstId }: Item) => firstId ?? "";

const forAll = {
  reservedSlots: (item) => [`You hold ${plural(item.count, "slot")}`, `playtest tester show ${id(item)}`],
  problems: (item) => [`${plural(item.count, "reported problem")} ${wait(item.count)} for an answer`, "playtest review problems"],
  lackingKeys: (item) => [
    `${plural(item.count, "playtest")} ${item.count === 1 ? "has" : "have"} open slots without game keys`,
    `playtest playtests keys add ${id(item)} --file keys.txt`,
  ],
  reviews: ({ count }) => [`${plural(count, "video")} ${wait(count)} for your review`, "playtest review next"],
  applications: (item) => [
    `${plural(item.count, "application")} ${wait(item.count)} for your decision`,
    `playtest applications list ${id(item)}`,
  ],
  unpaidOrders: (item) => [
    `${plural(item.count, "order")} ${item.count === 1 ? "is" : "are"} not paid`,
    `playtest playtests pay ${id(item)}`,
  ],
  waitingOrders: ({ count }) => [
    `${plural(count, "order")} of an API key ${wait(count)} for your approval`,
    "playtest approvals list --status pending",
  ],
  approvals: (item) => [
    `${plural(item.count, "free trial or video", "free trials or videos")} ${wait(item.count)} for approval`,
    "playtest admin approvals",
  ],
  failedPublications: ({ count }) => [
    `${plural(count, "video")} ${count === 1 ? "was" : "were"} not published or deleted by a video platform`,
    "playtest admin publishing list --state troubled",
  ],
  disputes: ({ count, amountCents }) => [
    `${plural(count, "dispute")} of ${usd(amountCents ?? 0)} ${count === 1 ? "is" : "are"} open`,
    "playtest admin disputes",
  ],
  flaggedPayments: ({ count }) => [
    `${plural(count, "payment")} ${count === 1 ? "needs" : "need"} an operator to look at ${count === 1 ? "it" : "them"}`,
    "playtest admin flagged",
  ],
  payoutsOwed: ({ count, amountCents }) => [
    `${usd(amountCents ?? 0)} ${count === 1 ? "is" : "are"} owed to ${plural(count, "playtester")}`,
    "playtest admin owed",
  ],
  unmatchedDeposits: ({ count }) => [
    `${plural(count, "crypto deposit")} ${count === 1 ? "is" : "are"} not matched to an account`,
    "playtest admin suspense",
  ],
  refusedMails: ({ count }) => [`${plural(count, "email")} could not be sent`, "playtest admin mail list --state failed"],
  failedJobs: ({ count }) => [`${plural(count, "background job")} failed for good`, "playtest admin jobs"],
  unreadMessages: (item) => [`${plural(item.count, "unread message")}`, `playtest chat read ${id(item)}`],
  lowCredit: ({ amountCents }, addCredit) => [
    `Your credit is low (${usd(amountCents ?? 0)})${addCredit ? "" : ", and only this server's operator adds credit"}`,
    addCredit ?? "playtest billing balance",
  ],
} satisfies Record<InboxKind, Line>;

/** An operator answers a problem of any owner; only owners can list theirs. */
const forAdmins: Partial<Record<InboxKind, Line>> = {
  problems: (item) => [
    `${plural(item.count, "reported problem")} ${wait(item.count)} for an owner's answer`,
    `playtest review unblock ${id(item)}`,
  ],
};

/** What waits for an account, most urgent first, as sentences with the next command. Kinds that only a newer server knows are
 * left out. `addCredit` is the command that adds credit. */
export const todosOf = ({ role, items }: Data<"getInbox">, addCredit?: string): Todo[] =>
  items
    .filter(({ count, kind }) => count > 0 && kind in forAll)
    .map((item) => {
      const line: Line = (role === "admin" && forAdmins[item.kind]) || forAll[item.kind];
      const [text, command] = line(item, addCredit);
      return { kind: item.kind, count: item.count, dueAt: item.dueAt, text, command };
    });
