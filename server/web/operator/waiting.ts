import type { Data } from "../../../src/contract/index.ts";
import { operator } from "../../../src/contract/pages/addresses.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { fileSize } from "../../lib/free-space.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, enteredFor, fault, marked, notice, prose, sentence, tokens } from "../shared/parts.ts";
import { time, until } from "../shared/text.ts";
import { operatorLayout } from "./layout.ts";
import { action, command, type OperatorContext, type OperatorPage } from "./types.ts";

type InboxItem = Data<"getInbox">["items"][number];
type Kind = InboxItem["kind"];
type Owed = Data<"listOwed">;

const said = new Map([
  ["approved", "Approved. Its owner was told."],
  ["rejected", "Rejected. Those concerned were told."],
  ["answered", "The playtester has the slot back, with a new deadline."],
  ["mail", "The email is sent again now."],
  ["job", "The job runs again now."],
  ["flag", "The payment is off the list."],
  ["publication", "The publication is tried again now."],
]);

/** How many of a kind the page shows. The command lists the rest. */
const shown = 20;

/** `/admin`: what waits for the operators, as far as the scopes of the key allow to see it. */
async function waitingPage(context: OperatorContext): Promise<PageContent> {
  const { call, query } = context;
  const { items } = (await call("getInbox")).data;
  const waiting = items.filter(({ kind, count }) => count > 0 && kind in sections);
  const parts = await Promise.all(waiting.map((item) => section(context, item)));
  const done = said.get(query.get("done") ?? "");
  const body = html`${done && notice(done)}${await disk(context)}${parts.length > 0 ? parts : html`<p class="calm">Nothing waits for you.</p>`}`;
  return operatorLayout(context, "waiting", { title: "What waits", body });
}

async function section(context: OperatorContext, item: InboxItem): Promise<Markup> {
  const { title, list, all } = sections[item.kind]!;
  return html`<section><h2>${title} <span class="count">${item.count}</span></h2>${await list(context, item)}
${item.count > shown && html`<p>The first ${shown}. The command lists all of them.</p>`}<details class="by-command"><summary>Command<span class="hidden"> for ${title}</span></summary>${command(all)}</details></section>`;
}

interface Section {
  title: string;
  list(context: OperatorContext, item: InboxItem): Promise<Markup>;
  /** The command that lists all of them. */
  all: string;
}

const sections: Partial<Record<Kind, Section>> = {
  approvals: { title: "Approvals", list: approvals, all: "playtest admin approvals" },
  problems: { title: "Reported problems", list: problems, all: "playtest admin problems" },
  failedPublications: {
    title: "Videos that were not published",
    list: publications,
    all: "playtest admin publishing list --state troubled",
  },
  disputes: { title: "Disputed payments", list: disputed, all: "playtest admin disputes" },
  flaggedPayments: { title: "Flagged payments", list: flagged, all: "playtest admin flagged" },
  payoutsOwed: { title: "Earnings owed", list: owed, all: "playtest admin owed" },
  unmatchedDeposits: { title: "Unmatched crypto deposits", list: deposits, all: "playtest admin suspense" },
  refusedMails: { title: "Emails that were not sent", list: mails, all: "playtest admin mail list --state failed" },
  failedJobs: { title: "Jobs that failed", list: jobs, all: "playtest admin jobs" },
};

const cards = (rows: readonly Markup[]) => html`<ul class="list">${rows}</ul>`;
const query = { limit: shown };

async function disk({ disk: read }: OperatorContext): Promise<Markup | false> {
  const { freeBytes, minFreeBytes } = await read();
  const text = `${fileSize(freeBytes)} free on the disk of the data folder. Uploads are refused below ${fileSize(minFreeBytes)}.`;
  return freeBytes < 2 * minFreeBytes
    ? html`<div class="note bad" role="alert">The disk is nearly full: ${text}</div>`
    : html`<p class="soft">${text}</p>`;
}

async function approvals(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listApprovals", { query });
  return cards(
    data.approvals.map((one) => {
      const isTrial = one.slotId === null;
      const id = one.slotId ?? one.playtestId;
      const [approve, reject] = isTrial ? [approveTrial, rejectTrial] : [approveVideo, rejectVideo];
      const field = `reason-${id}`;
      const entered = enteredFor(context, id, "reason");
      return html`<li class="card"><h3><a href="${operator.playtest(one.playtestId)}">${one.gameName}</a></h3><p class="soft">${isTrial ? "Free trial" : "Public video"} of ${one.ownerName}, ${time(one.createdAt)}</p>
${one.videoUrl !== null && html`<p><a href="${one.videoUrl}">Watch the video<span class="hidden"> of ${one.gameName}</span></a></p>`}
<div class="decide">${button(context, approve.at(id), isTrial ? "Approve the trial" : "Approve the video")}
<details${entered !== undefined && html` open`}><summary>Reject it</summary><form method="post" action="${reject.at(id)}">${tokens(context)}
<label for="${field}">Reason <span class="soft">(optional, shown to those concerned)</span></label>
<textarea id="${field}" name="reason" maxlength="5000"${marked(context, field)}>${entered}</textarea>${fault(context, field)}<button class="danger">Reject</button></form></details></div></li>`;
    }),
  );
}

async function problems(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listProblems", { query });
  return cards(
    data.problems.map((one) => {
      const field = `message-${one.slotId}`;
      const entered = enteredFor(context, one.slotId, "message");
      return html`<li class="card"><h3><a href="${operator.playtest(one.playtestId)}">${one.gameName}</a></h3><p class="soft">${one.playtester.displayName} reported this to ${one.owner.displayName} ${time(one.reportedAt)}: ${one.reasonCode.replaceAll("_", " ")}</p>
${one.notes !== null && prose(one.notes)}${one.answerBy !== null && html`<p>The owner has to answer ${until(one.answerBy, context.now) || "now"}. If nobody answers, the slot is cancelled and refunded.</p>`}
<details${entered !== undefined && html` open`}><summary>Answer for the owner</summary><form method="post" action="${answer.at(one.slotId)}">${tokens(context)}
<label for="${field}">Answer <span class="soft">(optional, shown to the playtester)</span></label>
<textarea id="${field}" name="message" maxlength="2000"${marked(context, field)}>${entered}</textarea>${fault(context, field)}<button>Give the slot back to the playtester, with a new deadline</button></form></details></li>`;
    }),
  );
}

async function publications(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listPublications", { query: { ...query, state: "troubled" } });
  return cards(
    data.publications.map(
      (
        one,
      ) => html`<li class="card"><h3>${one.gameName}</h3><p class="soft">Video of ${one.playtesterName}, ${time(one.createdAt)}</p>
${one.detail !== null && html`<p>${one.detail}</p>`}${button(context, retryPublication.at(one.id), "Try again")}</li>`,
    ),
  );
}

async function disputed({ call, now }: OperatorContext): Promise<Markup> {
  const { data } = await call("listDisputes", { query });
  return cards(
    data.disputes.map(
      (
        one,
      ) => html`<li class="card"><h3>${usd(one.amountCents)} of <a href="${operator.person(one.userId)}">${one.displayName}</a></h3><p class="soft">Disputed ${time(one.createdAt)}, of a payment of ${usd(one.paymentCents)}</p>
<p>${one.answerBy === null ? "If the bank waits for an answer, the card processor says until when." : html`Answer at the card processor ${until(one.answerBy, now) || "now"}, by ${time(one.answerBy)}.`} Until it has ended, the owner cannot order, and playtesters are not paid what the payment paid for.</p>
<p>If it was settled in another way, end that with the command, which asks for your second factor, if you have one:</p>${command(`playtest admin disputes lift ${one.paymentId} --note 'paid by bank transfer'`)}</li>`,
    ),
  );
}

async function flagged(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listFlaggedPayments", { query });
  return cards(
    data.payments.map((one) => {
      const field = `note-${one.id}`;
      const entered = enteredFor(context, one.id, "note");
      return html`<li class="card"><h3>${usd(one.amountCents)} of <a href="${operator.person(one.userId)}">${one.displayName}</a></h3><p class="soft">Flagged ${time(one.createdAt)}; the payment is ${one.status}</p>
<p>${sentence(one.reason)}</p>${one.externalId !== null && html`<p class="soft prose">Id at the processor: ${one.externalId}</p>`}
<details${entered !== undefined && html` open`}><summary>Clear the flag</summary><form method="post" action="${clearFlag.at(one.id)}">${tokens(context)}
<label for="${field}">What you found or did <span class="soft">(kept in the audit log)</span></label>
<textarea id="${field}" name="note" maxlength="500" required${marked(context, field)}>${entered}</textarea>${fault(context, field)}<button>Take it off this list</button></form></details></li>`;
    }),
  );
}

async function owed({ call }: OperatorContext, { count, amountCents }: InboxItem): Promise<Markup> {
  const { data } = await call("listOwed", { query });
  const rows = data.owed.map(
    (one) =>
      html`<tr><td><a href="${operator.person(one.userId)}">${one.displayName}</a>${obstacle(one)}</td><td>${usd(one.obstacle === null ? one.availableCents : 0)}</td><td>${usd(one.balanceCents)}</td></tr>`,
  );
  return html`<p>${usd(amountCents ?? 0)} to ${plural(count, "playtester")}. ${payable(data.totals)}</p><table><thead><tr><th>Playtester</th><th>To pay now</th><th>Owed</th></tr></thead><tbody>${rows}</tbody></table>
<p>Payouts move money, so they are made by the command, which asks for your second factor, if you have one:</p>${command("playtest admin payouts create --all")}`;
}

const obstacles = { suspended: "account suspended", no_details: "no payout details" } as const;

/** Why a playtester cannot be paid now, in the row. */
function obstacle({ obstacle: why, detailsUsableFrom }: Owed["owed"][number]): Markup | false {
  if (why === null) return false;
  return html` <span class="soft">${why === "new_details" ? html`details usable from ${time(detailsUsableFrom!)}` : obstacles[why]}</span>`;
}

/** How much of what is owed can be paid now. */
function payable(totals: Owed["totals"]): string {
  if (!totals || totals.payablePlaytesters === 0) return "Nothing of it can be paid now.";
  return `${usd(totals.payableCents)} of it can be paid now, to ${plural(totals.payablePlaytesters, "playtester")}.`;
}

async function deposits(): Promise<Markup> {
  return html`<p>Credit or refund each of them with the command, which asks for your second factor, if you have one.</p>`;
}

async function mails(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listMails", { query: { ...query, state: "failed" } });
  return cards(
    data.mails.map(
      (
        one,
      ) => html`<li class="card"><h3>${one.subject}</h3><p class="soft">to ${one.to}, ${time(one.createdAt)}, ${plural(one.tries, "try", "tries")}</p>
${one.error !== null && html`<p>${one.error}</p>`}${button(context, retryMail.at(one.id), "Send it again")}</li>`,
    ),
  );
}

async function jobs(context: OperatorContext): Promise<Markup> {
  const { data } = await context.call("listFailedJobs", { query });
  return cards(
    data.jobs.map(
      (
        one,
      ) => html`<li class="card"><h3>${one.purpose}</h3><p class="soft">${Object.entries(one.about).map(([name, id]) => `${name} ${id} `)}${time(one.triedAt)}</p>
${one.error !== null && html`<p>${one.error}</p>`}${button(context, retryJob.at(one.id), "Run it again")}</li>`,
    ),
  );
}

const trial = operator.waiting.below("playtests/:id");
const video = operator.waiting.below("slots/:id");
const reasonOf = ({ form: { reason } }: OperatorContext) => (reason?.trim() ? { reason: reason.trim() } : {});
const reasonField = { reason: { label: "The reason", id: (id: string) => `reason-${id}` } };
const back = (done: string) => `${operator.waiting()}?done=${done}`;

const approveTrial = action({ at: trial.below("approve") }, async ({ call, id, form }) => {
  await call("approvePlaytest", { params: { id }, idempotencyKey: form.formKey });
  return back("approved");
});
const rejectTrial = action({ at: trial.below("reject"), fields: reasonField }, async (context) => {
  const { call, id, form } = context;
  await call("rejectPlaytest", { params: { id }, idempotencyKey: form.formKey, body: reasonOf(context) });
  return back("rejected");
});
const approveVideo = action({ at: video.below("approve") }, async ({ call, id, form }) => {
  await call("approveVideo", { params: { id }, idempotencyKey: form.formKey });
  return back("approved");
});
const rejectVideo = action({ at: video.below("reject"), fields: reasonField }, async (context) => {
  const { call, id, form } = context;
  await call("rejectVideo", { params: { id }, idempotencyKey: form.formKey, body: reasonOf(context) });
  return back("rejected");
});
const answer = action(
  { at: video.below("answer"), fields: { message: { label: "The answer", id: (id: string) => `message-${id}` } } },
  async ({ call, id, form }) => {
    const message = form.message?.trim();
    await call("unblockSlot", { params: { id }, idempotencyKey: form.formKey, body: message ? { message } : {} });
    return back("answered");
  },
);
const retryMail = action({ at: operator.waiting.below("mails/:id/retry") }, async ({ call, id, form }) => {
  await call("retryMail", { params: { id }, idempotencyKey: form.formKey });
  return back("mail");
});
const retryJob = action({ at: operator.waiting.below("jobs/:id/retry") }, async ({ call, id, form }) => {
  await call("retryJob", { params: { id }, idempotencyKey: form.formKey });
  return back("job");
});
const retryPublication = action({ at: operator.waiting.below("publications/:id/retry") }, async ({ call, id, form }) => {
  await call("retryPublication", { params: { id }, idempotencyKey: form.formKey });
  return back("publication");
});

const clearFlag = action(
  {
    at: operator.waiting.below("payments/:id/clear-flag"),
    fields: { note: { label: "The note", id: (id: string) => `note-${id}` } },
  },
  async ({ call, id, form }) => {
    await call("clearPaymentFlag", { params: { id }, idempotencyKey: form.formKey, body: { note: form.note?.trim() ?? "" } });
    return back("flag");
  },
);

export const waiting: OperatorPage = {
  at: operator.waiting,
  view: waitingPage,
  actions: [approveTrial, rejectTrial, approveVideo, rejectVideo, answer, retryMail, retryJob, retryPublication, clearFlag],
};
