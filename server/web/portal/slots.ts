import type { BlockReason } from "../../../src/contract/slots.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { usd } from "../../lib/money.ts";
import { notFound } from "../../lib/problem.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { slotBadge } from "./badge.ts";
import { cursorOf, frame, more, notice, players, prose, time, until } from "./layout.ts";
import { releaseForm, reportForm, submitForms } from "./slot-forms.ts";
import type { HeldSlot, PageContext } from "./types.ts";

const said = new Map([
  ["claimed", "You claimed this slot. Play the game, record your session, and submit the video before the deadline."],
  ["uploaded", "Your video is uploaded. Now submit it."],
  ["submitted", "Thank you! Your video was submitted to the owner."],
  ["released", "You released the slot."],
  ["reported", "The owner was notified. Your deadline is paused until the owner responds."],
]);

/** `/play/slots`: the slots that a playtester holds or held, newest first. */
export async function slotsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listHeldSlots", { query: { cursor: cursorOf(context) } });
  const done = said.get(context.query.get("done") ?? "");
  const cards = data.slots.map(
    (
      slot,
    ) => html`<li class="card"><div class="head"><h2><a href="/play/slots/${slot.id}">${slot.game.name}</a></h2>${slotBadge(slot.status)}</div>
${facts(slot)}${deadline(slot, context.now)}</li>`,
  );
  const none = html`<p>No active slots. <a href="/play">Find a playtest</a>.</p>`;
  const body = html`${done && notice(done)}${cards.length > 0 ? html`<ul class="list">${cards}</ul>` : none}${more("/play/slots", meta.cursor)}`;
  return frame(context, "slots", { title: "My slots", body });
}

const facts = ({ playtest }: HeldSlot) =>
  html`<ul class="facts"><li>${playtest.durationMinutes} minutes</li><li>${players(playtest.playerCount)}</li><li>${playtest.payoutCents > 0 ? usd(playtest.payoutCents) : "unpaid"}</li>${playtest.visibility === "public" && html`<li>your video will be public</li>`}</ul>`;

const deadline = (slot: HeldSlot, now: number) =>
  slot.status === "reserved" &&
  slot.deadlineAt !== null &&
  html`<p><strong>Submit by ${time(slot.deadlineAt)}</strong> <span class="soft">(${until(slot.deadlineAt, now)})</span></p>`;

/** `/play/slots/<id>`: one slot, with all that helps to play while it is held. */
export async function slotPage(context: PageContext): Promise<PageContent> {
  const { slot } = (await context.call("getHeldSlot", { params: { id: context.id } })).data;
  const done = said.get(context.query.get("done") ?? "");
  const isReserved = slot.status === "reserved";
  const body = html`${done && notice(done)}<p>${slotBadge(slot.status)}</p>${facts(slot)}${deadline(slot, context.now)}${outcome(slot)}
${slot.buildUrl !== undefined && play(slot)}
${isReserved && submitForms(context, slot)}
${isReserved && reportForm(context, slot)}
${(isReserved || slot.status === "blocked") && releaseForm(context, slot)}`;
  return frame(context, "slots", { title: slot.game.name, body, assets: { scripts: isReserved ? ["upload.js"] : [] } });
}

/** How to play: the build, keys, what the owner says. */
const play = (slot: HeldSlot): Markup => html`<section><h2>Play</h2>
<p><a class="button" href="/play/slots/${slot.id}/build" target="_blank" rel="noopener">Download the game<span class="hidden"> (opens in a new tab)</span></a></p>
${slot.keys && slot.keys.length > 0 && html`<h3>${slot.keys.length === 1 ? "Your key" : "Your keys"}</h3><ul class="keys">${slot.keys.map((key) => html`<li><code>${key}</code></li>`)}</ul>`}
${slot.instructions && html`<h3>Instructions</h3>${prose(slot.instructions)}`}
${slot.notesForTesters && html`<h3>Notes from the owner</h3>${prose(slot.notesForTesters)}`}
${slot.game.description && html`<h3>About the game</h3>${prose(slot.game.description)}`}</section>`;

/** What a status means for its playtester, where the rest of the page does not say. */
const meanings = {
  open: null,
  reserved: null,
  blocked: null,
  accepted: null,
  rejected: null,
  submitted: "The owner is reviewing your video.",
  publishing: "Your playtest was accepted. You will be paid when the video is published.",
  expired: "The deadline passed before you submitted a video. Someone else can claim the slot now.",
  cancelled: "This slot was released.",
} as const satisfies Record<SlotStatus, string | null>;

/** The result, as far as there is one. */
function outcome(slot: HeldSlot): Markup {
  const { submission, rating, rejection, blockedReport, status } = slot;
  return html`${meanings[status] && html`<p>${meanings[status]}</p>`}
${status === "accepted" && html`<p>Your playtest was accepted${slot.playtest.payoutCents > 0 && html` and earned you <strong>${usd(slot.playtest.payoutCents)}</strong>`}.</p>`}
${slot.publishedUrl !== null && html`<p><a href="${slot.publishedUrl}">Watch the published video</a></p>`}
${rejection && html`<h2>Why it was rejected</h2>${prose(rejection.reason ?? "")}`}
${rating && html`<h2>Feedback from the owner</h2>${rating.score !== null && html`<p>${rating.score} of 5</p>`}${rating.comment && prose(rating.comment)}`}
${blockedReport && html`<h2>The problem you reported</h2><p class="soft">${time(blockedReport.reportedAt)}</p>${blockedReport.notes ? prose(blockedReport.notes) : html`<p>${blockedReport.reasonCode.replaceAll("_", " ")}</p>`}<p>Your deadline is paused until the owner responds.</p>`}
${submission && html`<h2>Your submission</h2><p class="soft">${time(submission.createdAt)}</p>${submission.notes && prose(submission.notes)}`}`;
}

/** Made when it is opened: a signed link lives an hour, the page may stay open for longer. */
export async function buildLink({ call, id }: PageContext): Promise<string> {
  const { slot } = (await call("getHeldSlot", { params: { id } })).data;
  if (slot.buildUrl === undefined) throw notFound();
  return slot.buildUrl;
}

export async function submit({ call, id, form }: PageContext): Promise<string> {
  const notes = form.notes?.trim();
  await call("submitSlot", { params: { id }, idempotencyKey: form.formKey, body: notes ? { notes } : {} });
  return `/play/slots/${id}?done=submitted`;
}

export async function release({ call, id, form }: PageContext): Promise<string> {
  await call("releaseSlot", { params: { id }, idempotencyKey: form.formKey });
  return "/play/slots?done=released";
}

/** What the form gives as its reason is checked by the operation. */
export async function report({ call, id, form }: PageContext): Promise<string> {
  const problem = form.problem?.trim();
  await call("reportSlot", {
    params: { id },
    idempotencyKey: form.formKey,
    body: { reasonCode: form.reason as BlockReason, ...(problem && { notes: problem }) },
  });
  return `/play/slots/${id}?done=reported`;
}
