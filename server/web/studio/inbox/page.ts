import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { notice } from "../../shared/parts.ts";
import { time, until } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { plural } from "../parts.ts";
import type { Serve, StudioContext, StudioPage } from "../types.ts";
import { firstRun } from "./first-run.ts";
import { type Row, rowsOf } from "./rows.ts";
import { type Waiting, waitingFor } from "./waiting.ts";

const kinds: Record<Row["kind"], string> = {
  problem: "Problem",
  application: "Applications",
  keys: "Game keys",
  order: "Order",
  approval: "Order",
  review: "Review",
  message: "Message",
  credit: "Credit",
};

/** `/studio`: what waits for the owner, the nearest deadline first. */
async function inboxPage(context: StudioContext): Promise<PageContent> {
  const waiting = await waitingFor(context);
  const rows = rowsOf(context, waiting);
  const body = html`${context.query.get("done") === "verified" && notice("Your email address is verified. Your password and API keys were removed: anybody could have set them.")}
<div data-live="inbox">${rows.length > 0 ? html`<ol class="rows">${rows.map((row) => rowOf(context, row))}</ol>` : await nothing(context, waiting)}
${waiting.hasMore.problems && html`<p class="soft">More problems wait than are listed here. They appear when you have answered some of these.</p>`}
${waiting.hasMore.reviews && html`<p class="soft">More videos wait than are listed here. They appear when you have reviewed some of these.</p>`}
${!waiting.hasInbox && html`<p class="soft">This server does not say which applications and unpaid orders wait. Open a playtest to see its applications.</p>`}
${playing(context, waiting)}</div>`;
  return studioLayout(context, "inbox", { title: "Inbox", body });
}

/** What the script of all pages listens to, to show changes as they happen. */
const streamEvents: Serve = ({ request, streamEvents: stream }) => {
  const last = request.headers["last-event-id"];
  return stream(typeof last === "string" ? last : undefined);
};

export const inbox: StudioPage = {
  at: studio.inbox,
  view: inboxPage,
  files: [{ at: studio.inbox.below("events"), serve: streamEvents }],
};

const rowOf = (context: StudioContext, { kind, title, text, dueAt, since }: Row): Markup =>
  html`<li class="row"><span class="badge ${kind === "problem" && "act"}">${kinds[kind]}</span><div><p class="what">${title}</p>${text && html`<div class="soft clip">${text}</div>`}</div>
<p class="when">${dueAt !== null ? due(context, dueAt) : since !== null && html`<span class="soft">${time(since)}</span>`}</p></li>`;

const dayMs = 24 * 3_600_000;

function due({ now }: StudioContext, dueAt: string): Markup {
  const left = until(dueAt, now);
  const isSoon = Date.parse(dueAt) - now < dayMs;
  return html`<span class="${isSoon && "bad"}">${left === "" ? "deadline passed" : `due ${left}`}</span>`;
}

async function nothing(context: StudioContext, { playing: held, hasContacts }: Waiting): Promise<Markup> {
  const active = held.length > 0 || (await context.call("getDashboardStats")).data.activePlaytests > 0;
  if (!active && !hasContacts) return firstRun(context);
  return html`<p class="calm">Nothing waits for you.</p>
${!active && html`<p><a class="button" href="${studio.order()}">Order a playtest</a></p>`}`;
}

/** What is with the playtesters now. */
function playing(context: StudioContext, { playing: held, hasMore }: Waiting): Markup | false {
  const ids = [...new Set(held.map(({ playtest }) => playtest.id))];
  return (
    held.length > 0 &&
    html`<section><h2>Being played</h2><p>${hasMore.playing ? `More than ${plural(held.length, "slot")} are with playtesters.` : allPlaying(context, held)}</p>
<ul class="links">${ids.map((id) => {
      const own = held.filter(({ playtest }) => playtest.id === id);
      return html`<li><a href="${studio.playtest(id)}">${own[0]!.game.name}</a>${!hasMore.playing && html` <span class="soft">${slotsText(context, own)}</span>`}</li>`;
    })}</ul></section>`
  );
}

/** How many slots of a playtest are being played and until when, which tells it from others of the same game. */
function slotsText(context: StudioContext, held: Waiting["playing"]): string {
  const due = firstDeadline(context, held);
  return `${plural(held.length, "slot")}${due === undefined ? "" : `, due ${due}`}`;
}

function allPlaying(context: StudioContext, held: Waiting["playing"]): string {
  const first = firstDeadline(context, held);
  const count = `${plural(held.length, "slot")} ${held.length === 1 ? "is" : "are"} with playtesters.`;
  return first === undefined ? count : `${count} The first deadline is ${first}.`;
}

function firstDeadline({ now }: StudioContext, held: Waiting["playing"]): string | undefined {
  const [first] = held.flatMap(({ slot }) => slot.deadlineAt ?? []).sort();
  return first === undefined ? undefined : until(first, now) || "now";
}
