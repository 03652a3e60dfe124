import { expect, it } from "vitest";
import * as keys from "../../server/accounts/keys-store.ts";
import { listCreditors } from "../../server/admin/payouts/owed-store.ts";
import * as payouts from "../../server/admin/payouts/store.ts";
import * as admin from "../../server/admin/store.ts";
import * as audit from "../../server/audit/store.ts";
import * as hours from "../../server/billing/hours-store.ts";
import * as payments from "../../server/billing/store.ts";
import * as chat from "../../server/chat/store.ts";
import type { Page } from "../../server/database/keyset.ts";
import type { Query, Value } from "../../server/database/port.ts";
import { sqliteDialect } from "../../server/database/sqlite/dialect.ts";
import * as notifications from "../../server/events/notifications-store.ts";
import * as events from "../../server/events/store.ts";
import * as webhooks from "../../server/events/webhooks/store.ts";
import * as games from "../../server/games/store.ts";
import * as jobs from "../../server/jobs/store.ts";
import * as mails from "../../server/mail/store.ts";
import * as applications from "../../server/playtests/applications/store.ts";
import * as earnings from "../../server/playtests/slots/earnings-store.ts";
import * as slots from "../../server/playtests/slots/store.ts";
import { listTotals } from "../../server/playtests/statements/store.ts";
import * as playtests from "../../server/playtests/store.ts";
import * as search from "../../server/search/store.ts";
import { sqlite } from "../helpers/store.ts";

const page: Page = { limit: 20, after: { at: 1, id: "1" } };
const lists: Record<string, (q: Query) => Promise<unknown>> = {
  "the audit log": (q) => audit.list(q, {}, page),
  "the audit log of an account": (q) => audit.list(q, { actor: "a" }, page),
  "the audit log of an action": (q) => audit.list(q, { action: "user.suspend" }, page),
  "the audit log of a target": (q) => audit.list(q, { target: "t" }, page),
  payouts: (q) => payouts.list(q, {}, page),
  "payouts of a batch": (q) => payouts.list(q, { batch: "b" }, page),
  "pending payouts": (q) => payouts.list(q, { status: "pending" }, page),
  "batches of payouts": (q) => payouts.listBatches(q, page),
  "totals of a year": (q) => listTotals(q, { from: 1, to: 2 }, page),
  "playtesters who are owed something": (q) => listCreditors(q, page),
  users: (q) => admin.listUsers(q, {}, page),
  "users of a role": (q) => admin.listUsers(q, { role: "playtester" }, page),
  "applications of a playtest": (q) => applications.listForPlaytest(q, "p", page),
  "applications of a playtester": (q) => applications.listOwn(q, "t", page),
  "messages, oldest first": (q) => chat.listMessages(q, "c", "asc", page),
  "messages, newest first": (q) => chat.listMessages(q, "c", "desc", page),
  earnings: (q) => earnings.list(q, "t", page),
  events: (q) => events.list(q, "o", page),
  games: (q) => games.listForOwner(q, "o", page),
  builds: (q) => games.listBuilds(q, "g", page),
  hours: (q) => hours.listForOwner(q, "o", page),
  keys: (q) => keys.listForUser(q, "o", page),
  mails: (q) => mails.list(q, page),
  notifications: (q) => notifications.list(q, "o", false, page),
  "unread notifications": (q) => notifications.list(q, "o", true, page),
  payments: (q) => payments.listForOwner(q, "o", page),
  playtests: (q) => playtests.listForGame(q, "g", page),
  offers: (q) => playtests.listOffers(q, { id: "t", now: 1 }, {}, page),
  "slots of a playtest": (q) => slots.listForPlaytest(q, "p", page),
  "slots of a playtester": (q) => slots.listForMember(q, "t", { now: 1 }, page),
  "active slots of a playtester": (q) => slots.listForMember(q, "t", { state: "active", now: 1 }, page),
  "ended slots of a playtester": (q) => slots.listForMember(q, "t", { state: "ended", now: 1 }, page),
  "submissions of a status": (q) => slots.listForOwner(q, "o", "submitted", 1, page),
  "submissions that expired": (q) => slots.listForOwner(q, "o", "expired", 1, page),
  webhooks: (q) => webhooks.listForOwner(q, "o", page),
  deliveries: (q) => webhooks.listDeliveries(q, "w", page),
};

/** SQLite's query plan for a list. */
async function planOf(list: (q: Query) => Promise<unknown>): Promise<string[]> {
  const store = await sqlite.open();
  const plans: string[] = [];
  await store.read((q) => {
    const all = async <T>(sql: string, ...values: Value[]) => {
      const steps = await q.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      plans.push(...steps.map(({ detail }) => detail));
      return [] as T[];
    };
    return list({ ...q, all });
  });
  await store.remove();
  return plans;
}

/** Each page costs the same as the first: an index in the order of the list leads to where the last page ended. */
it.each(Object.entries(lists))("list of %s: an index finds the next page, without sorting", async (_, list) => {
  const plan = await planOf(list);
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH \w+ USING INDEX .*created_at[<>]\?/));
  expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
});

it("list of submissions: an index finds those of one status", async () => {
  expect((await planOf(lists["submissions of a status"]!))[0]).toContain("(owner_id=? AND status=? AND created_at<?)");
});

it("search: reads the passages that were found, not all of the owner", async () => {
  const plan = await planOf((q) => search.find(q, sqliteDialect, "o", [[["lost"]]], {}, { after: 0, limit: 21 }));
  expect(plan).toContain("SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
});

it.each([
  ["one kind", 1],
  ["several kinds", 2],
])("due jobs of %s: an index finds them among all that are due", async (_, count) => {
  const only = ["expire-slot", "expire-order"].slice(0, count);
  const lease = { token: "t", due: 1, now: { sql: "?", values: [1] }, leaseMs: 1, count: 1, kinds: { only } };
  const plan = await planOf((q) => jobs.claim(q, lease));
  expect(plan.find((step) => step.includes("run_at<?"))).toContain("(kind=? AND state=? AND run_at<?)");
});
