import { pages } from "../../../src/contract/pages/addresses.ts";
import { howToPay } from "../../billing/rules.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { studioPath, type Task, tasks } from "../../mail/links.ts";
import { html, sendPage } from "../html.ts";
import { withCode } from "../shared/parts.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";

/**
 * A command with what it does, which may differ between servers with payments and those without. `needs`: what the server must take for
 * the command to be shown.
 */
type Line = readonly [what: string | readonly [paid: string, unpaid: string], command: string, needs?: "cards"];

interface Content {
  title: string;
  /** `ID` stands for the id in the address. */
  commands: readonly Line[];
  /** Commands for an address without an id. */
  withoutId?: readonly Line[];
}

const contents: Record<Task, Content> = {
  review: {
    title: "Review a video",
    commands: [
      ["See who played, and watch the video", "playtest review show ID"],
      [["Accept it, which pays the playtester", "Accept it"], "playtest review accept ID --rating 5"],
      ["Reject it, with a reason", "playtest review reject ID"],
    ],
    withoutId: [["Review the waiting videos one by one", "playtest review next"]],
  },
  playtest: {
    title: "See a playtest",
    commands: [
      ["See the playtest", "playtest playtests show ID"],
      ["See its slots", "playtest playtests slots ID"],
    ],
    withoutId: [["See your playtests", "playtest playtests list"]],
  },
  problem: {
    title: "Answer a reported problem",
    commands: [
      ["See what was reported", "playtest review show ID"],
      ["Give the slot back to the playtester, with a new deadline", 'playtest review unblock ID --message "Fixed."'],
      [["Cancel the slot and get its price back", "Cancel the slot"], "playtest review cancel ID"],
    ],
    withoutId: [["See the reported problems", "playtest review problems"]],
  },
  report: {
    title: "Answer a reported problem",
    commands: [["Give the slot back to the playtester, with a new deadline", 'playtest review unblock ID --message "Fixed."']],
    withoutId: [["See what waits for you", "playtest status"]],
  },
  applications: {
    title: "Decide on applications",
    commands: [
      ["See the applications", "playtest applications list ID"],
      ["Approve one", "playtest applications approve ID APPLICATION"],
      ["Reject one", "playtest applications reject ID APPLICATION"],
    ],
    withoutId: [["See your playtests", "playtest playtests list"]],
  },
  chat: {
    title: "Read a conversation",
    commands: [
      ["Read it", "playtest chat read ID"],
      ["Answer", 'playtest chat send ID "Thank you"'],
    ],
    withoutId: [["See your conversations", "playtest chat list"]],
  },
  credit: {
    title: "Add credit",
    commands: [],
    withoutId: [
      ["See what you have", "playtest billing balance"],
      ["Add $50 by card", "playtest billing credit add --amount 50", "cards"],
    ],
  },
  payment: {
    title: "See a payment",
    commands: [
      ["See the payment", "playtest billing payments show ID"],
      ["Download the invoice of a completed payment, or the confirmation of an order", "playtest billing invoice ID"],
    ],
    withoutId: [["See your payments", "playtest billing payments list"]],
  },
  subscription: {
    title: "See your subscription",
    commands: [],
    withoutId: [["See your subscription and its hours", "playtest billing subscription show"]],
  },
  approval: {
    title: "Decide on a free trial",
    commands: [
      ["See what waits, with a link to the video", "playtest admin approvals show ID"],
      ["Approve it", "playtest admin approvals approve ID"],
      ["Reject it, with a reason", "playtest admin approvals reject ID"],
    ],
    withoutId: [["See all that waits for approval", "playtest admin approvals"]],
  },
  publication: {
    title: "See the publication of a video",
    commands: [
      ["Try again, once the cause is removed", "playtest admin publishing retry ID"],
      ["Leave the video on the page of this server", "playtest admin publishing move ID --to own"],
      ["Remove the video, also where it was published", "playtest admin publishing remove ID --reason REASON"],
    ],
    withoutId: [["See all publications", "playtest admin publishing list"]],
  },
  finding: {
    title: "See a finding",
    commands: [["See it with its evidence", "playtest findings show ID"]],
    withoutId: [["See the findings of a game", "playtest findings list"]],
  },
  webhook: {
    title: "See a webhook",
    commands: [
      ["See its deliveries", "playtest webhooks deliveries ID"],
      ["Send a test event", "playtest webhooks test ID"],
      ["Enable it again", "playtest webhooks enable ID"],
    ],
    withoutId: [["See your webhooks", "playtest webhooks list"]],
  },
  order: {
    title: "Decide on an order",
    commands: [
      ["See it", "playtest approvals show ID"],
      ["Approve it: it is placed and paid", "playtest approvals approve ID"],
      ["Decline it", "playtest approvals decline ID"],
    ],
    withoutId: [["See the orders that wait", "playtest approvals list"]],
  },
  budget: {
    title: "See your budgets",
    commands: [],
    withoutId: [
      ["See what is left of them", "playtest billing budgets list"],
      ["Set one, for the API key with this name", "playtest billing budgets set 50/day --key ci"],
    ],
  },
};

/** What operators do. They sign in with an administrator's key. */
const ofOperators: ReadonlySet<Task> = new Set(["approval", "report"]);

/** Pages about money. A mail from the time before payments were turned off may lead to them. */
const aboutMoney: ReadonlySet<Task> = new Set(["credit", "payment", "subscription"]);

/** The commands of all pages, for the test that each of them exists. */
export const todoCommands: readonly string[] = Object.values(contents).flatMap(({ commands, withoutId = [] }) =>
  [...commands, ...withoutId].map(([, command]) => command),
);

const address = new RegExp(
  `^${pages.todo(`(${tasks.join("|")})`)}(?:/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}))?$`,
);

const remarkOf = (task: Task, { payments, cards, crypto }: Site) => {
  if (!payments)
    return aboutMoney.has(task) && html`<p>This server runs without payments. New playtests cost and earn nothing.</p>`;
  return task === "credit" && !cards && html`<p>${withCode(howToPay("credit", crypto))}</p>`;
};

/**
 * `/todo/TASK/ID`: where emails lead about what Studio does not do. It shows what to run and knows nothing about the id: everybody sees the
 * same page for every id.
 */
export function todo(site: Site): Page {
  const said = (what: Line[0]) => (typeof what === "string" ? what : what[site.payments ? 0 : 1]);
  return async (request, response, url) => {
    const [, found, id] = address.exec(url.pathname) ?? [];
    if (found === undefined) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const task = found as Task;
    const { title, commands, withoutId = [] } = contents[task];
    const shown = (id === undefined || commands.length === 0 ? withoutId : commands).filter(
      ([, , needs]) => !needs || site[needs],
    );
    const inStudio = studioPath(task, id);
    const body = html`${inStudio && html`<p><a class="button" href="${inStudio}">Open in Studio</a></p><p>Or use the command line.</p>`}${remarkOf(task, site)}${shown.map(
      ([what, command]) => html`<p>${said(what)}:</p><pre class="wrap"><code>${command.replace(/\bID\b/, id ?? "")}</code></pre>`,
    )}
<p class="soft">Not signed in on this computer? First run:</p>
<pre class="wrap"><code>playtest login ${ofOperators.has(task) && "--with-key "}--base-url ${site.baseUrl}</code></pre>
<p><a href="${pages.topic("getting-started")}">Getting started</a> · <a href="${pages.docs()}">All documentation</a></p>`;
    sendPage(response, 200, { title, body });
  };
}
