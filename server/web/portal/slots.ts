import { portal } from "../../../src/contract/pages/addresses.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { whyTeamIsShort } from "../../../src/contract/teams/full.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import { notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { player, playerScript, playerStyle } from "../player/markup.ts";
import { cover, cursorOf, more, notice, prose } from "../shared/parts.ts";
import { players, time, timeIn, until } from "../shared/text.ts";
import { zoneFor } from "../shared/zone.ts";
import { slotBadge, teamBadge } from "./badge.ts";
import { signedInLayout } from "./layout.ts";
import {
  proposalForm,
  proposalNote,
  reasons,
  releaseForm,
  reportForm,
  slotActions,
  submitForms,
  unpublishForm,
  videoForm,
} from "./slots/forms.ts";
import { claimantOf, lossNote } from "./slots/lost.ts";
import { wrongIn } from "./slots/recorded.ts";
import { teamActions, teamSection } from "./slots/team.ts";
import type { HeldSlot, PageContext, PortalHost, PortalPage } from "./types.ts";

const said = new Map([
  ["claimed", "You claimed this slot. Play the game, record your session, and submit the video before the deadline."],
  ["accepted", "You accepted the agreement."],
  ["uploaded", "Your video is uploaded. Now submit it."],
  ["submitted", "Thank you! Your video was submitted to the owner."],
  ["released", "You released the slot."],
  ["moved", "You play at the new time."],
  ["declined-time", "You declined the new time, and the slot was released. This does not count against you."],
  ["unpublished", "You withdrew your consent. The video is not published."],
  ["asked", "Your friends were asked. The slot is reserved when all of them have confirmed."],
  ["confirmed", "You confirmed. The slot is reserved when the others have confirmed too."],
  ["asked-one", "Your friend was asked. Your team keeps the slot, and can submit the video when all have confirmed."],
  ["joined", "You confirmed, and are in the team. It is not complete yet: others are still missing."],
  ["complete", "You confirmed, and your team is complete. Play the game together before the deadline."],
  ["declined", "You declined. The playtester who named you can name somebody else."],
  ["left", "You left the team."],
  ["reported", "The owner was notified. Your deadline is paused until your report is answered."],
]);

const mostActive = 100;

/** Which comes first: what has a deadline by its deadline, then what others have to act on. */
const urgency = ({ status, deadlineAt }: HeldSlot) =>
  status === "reserved" && deadlineAt !== null ? Date.parse(deadlineAt) : Number.POSITIVE_INFINITY;

/** `/play/slots`: the slots that a playtester holds, the most urgent first, and below them those that ended, newest first. */
export async function slotsPage(context: PageContext): Promise<PageContent> {
  const { call, query } = context;
  const cursor = cursorOf(context);
  const [active, ended] = await Promise.all([
    cursor === undefined ? call("listHeldSlots", { query: { state: "active", limit: mostActive } }) : undefined,
    call("listHeldSlots", { query: { state: "ended", cursor } }),
  ]);
  const held = active?.data.slots ?? [];
  const zone = await zoneFor(
    context,
    held.map(({ scheduledAt }) => scheduledAt),
  );
  const done = said.get(query.get("done") ?? "");
  const body = html`${done && notice(done)}${active && activeSlots(context, held, zone)}
${ended.data.slots.length > 0 && html`<h2>Ended</h2>${cards(context, ended.data.slots, zone)}`}${more(portal.slots(), ended.meta.cursor)}`;
  return signedInLayout(context, "slots", { title: "My slots", body });
}

function activeSlots(context: PageContext, found: readonly HeldSlot[], zone: string | null): Markup {
  if (found.length === 0) return html`<p>No active slots. <a href="${portal.offers()}">Find a playtest</a>.</p>`;
  return html`<h2>Active</h2>${cards(
    context,
    found.toSorted((a, b) => compare(urgency(a), urgency(b))),
    zone,
  )}`;
}

/** Infinite ones stay in their order. */
const compare = (a: number, b: number) => (a === b ? 0 : a - b);

const cards = (context: PageContext, found: readonly HeldSlot[], zone: string | null): Markup =>
  html`<ul class="list">${found.map((slot) => card(context, slot, zone))}</ul>`;

const card = (context: PageContext, slot: HeldSlot, zone: string | null): Markup =>
  html`<li class="card"><div class="game">${cover(slot.game)}<div><div class="head"><h3><a href="${portal.slot(slot.id)}">${slot.game.name}</a></h3>${badgeOf(slot)}</div>
${facts(context, slot)}${fixedTime(slot, context.now, zone)}${slot.proposal !== null && html`<p><a href="${portal.slot(slot.id)}">${claimantOf(slot) === undefined ? "Answer another time" : "Another time is proposed"}</a></p>`}${deadline(slot, context.now, zone)}${slot.attempt.next?.status === "reserved" && html`<p><a href="${portal.slot(slot.attempt.next.slotId)}">${byClaimant(slot, () => "Your team", "You")} can try again<span class="hidden">: ${slot.game.name}</span></a></p>`}</div></div></li>`;

/** Nothing is paid for a slot that ended in any other way. */
const isOrMayBePaid = ({ status }: HeldSlot) => !["rejected", "expired", "cancelled"].includes(status);

/** Statuses of a public playtest whose video is still to be published. */
const beforePublication: readonly SlotStatus[] = ["open", "reserved", "blocked", "submitted", "publishing"];

/** An open slot is shown only to the team that it is held for. */
const badgeOf = (slot: HeldSlot) => (slot.status === "open" && slot.team ? teamBadge() : slotBadge(slot));

const facts = ({ site }: PageContext, slot: HeldSlot) => {
  const { playtest, attempt, team, status } = slot;
  return html`<ul class="facts">${attempt.number > 1 && html`<li>attempt ${attempt.number}</li>`}<li>${playtest.durationMinutes} minutes</li><li>${players(playtest.playerCount)}</li>${isOrMayBePaid(slot) && (playtest.payoutCents > 0 || site.payments) && html`<li>${playtest.payoutCents > 0 ? usd(playtest.payoutCents) : "unpaid"}${team && playtest.payoutCents > 0 && `, your share ${usd(team.yourShareCents)}`}</li>`}${playtest.visibility === "public" && beforePublication.includes(status) && html`<li>your video will ${slot.consentWithdrawnAt !== null && "not "}be public</li>`}</ul>`;
};

/** What the reader of a team of another playtester reads of them, and every other reader of themselves. */
const byClaimant = (slot: HeldSlot, of: (claimant: string) => string, own: string) => {
  const claimant = claimantOf(slot);
  return claimant === undefined ? own : of(claimant);
};

const deadline = (slot: HeldSlot, now: number, zone: string | null) =>
  slot.status === "reserved" &&
  slot.deadlineAt !== null &&
  html`<p><strong>${byClaimant(slot, (name) => `${name} submits the video`, "Submit")} by ${slot.scheduledAt === null ? time(slot.deadlineAt) : timeIn(slot.deadlineAt, zone)}</strong> <span class="soft">(${until(slot.deadlineAt, now)})</span></p>`;

/** An open slot is held for a team that is asked. */
const isHeld = ({ status, team }: HeldSlot) =>
  status === "reserved" || status === "blocked" || (status === "open" && team !== null);

/** When a slot at a fixed time is played. */
const fixedTime = (slot: HeldSlot, now: number, zone: string | null) =>
  slot.scheduledAt !== null &&
  isHeld(slot) &&
  html`<p><strong>Play at ${timeIn(slot.scheduledAt, zone)}</strong> <span class="soft">(${until(slot.scheduledAt, now) || "it has begun"})</span></p>`;

const mayBePublished: readonly SlotStatus[] = ["reserved", "blocked", "submitted", "publishing", "accepted"];

/** Whether the reader plays the slot, and its video is, or may still be, published. */
function canWithdraw({ status, playtest, publishedUrl, consentWithdrawnAt, team }: HeldSlot): boolean {
  if (playtest.visibility !== "public" || consentWithdrawnAt !== null || !mayBePublished.includes(status)) return false;
  const plays = team?.members.some(({ isYou, status: seat }) => isYou && seat === "confirmed") ?? true;
  return plays && (status !== "accepted" || publishedUrl !== null);
}

/** `/play/slots/<id>`: one slot. While the playtester holds it, the page has the build, keys and instructions. */
export async function slotPage(context: PageContext): Promise<PageContent> {
  const { slot } = (await context.call("getHeldSlot", { params: { id: context.id } })).data;
  const done = said.get(context.query.get("done") ?? "");
  const isReserved = slot.status === "reserved";
  const isClaimant = claimantOf(slot) === undefined;
  const submits = isReserved && isClaimant;
  const uploads = submits && !whyTeamIsShort(slot);
  const { limits } = (await context.call("getServerInfo")).data;
  const zone = await zoneFor(context, [slot.scheduledAt]);
  const body = html`${done && notice(done)}${slot.game.coverPath !== null && html`<p>${cover(slot.game)}</p>`}<p>${badgeOf(slot)}</p>${facts(context, slot)}${fixedTime(slot, context.now, zone)}${deadline(slot, context.now, zone)}${isReserved && lastAttempt(slot)}${outcome(context, slot)}
${slot.proposal !== null && (isClaimant ? proposalForm(context, slot, zone) : proposalNote(slot, zone))}
${teamSection(context, slot, zone)}
${slot.buildUrl !== undefined && play(slot)}
${uploads && submitForms(context, slot, { limits, zone, wrong: await wrongIn(context, slot) })}
${submits && reportForm(context, slot)}
${(submits || (isClaimant && slot.status === "blocked")) && releaseForm(context, slot)}${canWithdraw(slot) && unpublishForm(context, slot)}`;
  const watches = slot.submission !== null && { style: playerStyle, scripts: [playerScript] };
  const assets = uploads ? { scripts: ["upload.js"] } : watches;
  return signedInLayout(context, "slots", { title: slot.game.name, body, ...(assets && { assets }) });
}

/** What was wrong with the attempt before this one. */
function lastAttempt({ attempt: { number, before } }: HeldSlot): Markup | false {
  if (before === null) return false;
  return html`<div class="note bad"><p><strong>This is attempt ${number}.</strong> Your last video was not accepted. <a href="${portal.slot(before.slotId)}">See the last attempt</a></p>${before.reason && html`<p>Why it was rejected:</p>${prose(before.reason)}`}</div>`;
}

/** Whether a rejected slot can be tried again, or was. */
function nextAttempt({ site, now }: PageContext, slot: HeldSlot): Markup {
  const { next } = slot.attempt;
  const who = byClaimant(slot, () => "Your team", "You");
  const unpaid = (site.payments || slot.playtest.payoutCents > 0) && html`<p>This attempt is not paid.</p>`;
  if (next === null) return html`${unpaid}<p>${who} cannot try again.</p>`;
  const link = (label: string) => html`<p><a class="button" href="${portal.slot(next.slotId)}">${label}</a></p>`;
  if (next.status !== "reserved" || next.deadlineAt === null) return html`${unpaid}${link("See your next attempt")}`;
  return html`${unpaid}<p><strong>${who} can try again: ${byClaimant(slot, (name) => `${name} submits`, "submit")} another video by ${time(next.deadlineAt)}</strong> <span class="soft">(${until(next.deadlineAt, now)})</span></p>${link("Go to the new attempt")}`;
}

/** How to play: the build while the slot is held, the keys and the owner's instructions. */
const play = (slot: HeldSlot): Markup => html`<section><h2>${isHeld(slot) ? "Play" : "What you played"}</h2>
${isHeld(slot) && html`<p><a class="button" href="${build.at(slot.id)}" target="_blank" rel="noopener">Download the game<span class="hidden"> (opens in a new tab)</span></a></p>`}
${slot.keys && slot.keys.length > 0 && html`<h3>${slot.keys.length === 1 ? "Your key" : "Your keys"}</h3><ul class="keys">${slot.keys.map((key) => html`<li><code>${key}</code></li>`)}</ul>`}
${slot.instructions && html`<h3>Instructions</h3>${prose(slot.instructions)}`}
${slot.notesForTesters && html`<h3>Notes from the owner</h3>${prose(slot.notesForTesters)}`}
${slot.game.description && html`<h3>About the game</h3>${prose(slot.game.description)}`}</section>`;

/** What a status means for the playtester. Null where the rest of the page shows it already. */
const meanings = {
  open: null,
  reserved: null,
  blocked: null,
  accepted: null,
  rejected: null,
  submitted: "The owner is reviewing your video.",
  publishing: "Your playtest was accepted. The video is being published.",
  expired: null,
  cancelled: null,
} as const satisfies Record<SlotStatus, string | null>;

/** When money that is due comes, or why it does not. */
const payment = ({ status, playtest, blockedReport, consentWithdrawnAt }: HeldSlot) => {
  if (playtest.payoutCents === 0) return false;
  if (status === "publishing")
    return html`<p>You will be paid when ${consentWithdrawnAt === null ? "the video is published" : "an administrator has approved the video"}.</p>`;
  return status === "cancelled" && blockedReport?.outcome !== "released" && blockedReport && html`<p>It is not paid.</p>`;
};

const problem = (slot: HeldSlot, report: NonNullable<HeldSlot["blockedReport"]>): Markup =>
  html`<h2>The problem ${byClaimant(slot, (name) => name, "you")} reported</h2><p class="soft">${time(report.reportedAt)}</p>${report.notes ? prose(report.notes) : html`<p>${reasons[report.reasonCode]}</p>`}
${report.outcome === null && html`<p>${byClaimant(slot, () => "The deadline is paused until the", "Your deadline is paused until your")} report is answered.${report.answerBy !== null && html` If nobody answers by ${time(report.answerBy)}, this slot is cancelled.`}</p>`}
${report.outcome === "unblocked" && html`<h2>The answer</h2>${report.resolvedAt !== null && html`<p class="soft">${time(report.resolvedAt)}</p>`}${report.message ? prose(report.message) : html`<p>The slot is yours again. Please try once more.</p>`}`}`;

/** The submission, rating, rejection and report of a slot, as far as they exist. */
function outcome(context: PageContext, slot: HeldSlot): Markup {
  const { submission, rating, rejection, blockedReport, status } = slot;
  return html`${meanings[status] && html`<p>${meanings[status]}</p>`}${lossNote(slot)}${payment(slot)}
${status === "accepted" && html`<p>Your playtest was accepted${slot.playtest.payoutCents > 0 && html` and earned you <strong>${usd(slot.team?.yourShareCents ?? slot.playtest.payoutCents)}</strong>`}.</p><p>${context.site.payments && html`<a href="${portal.earnings()}">See your earnings</a> · `}<a href="${portal.messages()}">Write to the owner</a> · <a href="${portal.offers()}">Find another playtest</a></p>`}
${slot.publishedUrl !== null && html`<p><a href="${slot.publishedUrl}">Watch the published video</a></p>`}
${rejection && html`${nextAttempt(context, slot)}<h2>Why it was rejected</h2>${rejection.reason ? prose(rejection.reason) : html`<p class="soft">No reason was given.</p>`}`}
${rating && html`<h2>Feedback from the owner</h2>${rating.score !== null && html`<p>${rating.score} of 5</p>`}${rating.comment && prose(rating.comment)}`}
${blockedReport && problem(slot, blockedReport)}
${submission && html`<h2>Your submission</h2><p class="soft">${time(submission.createdAt)} · video length: ${lengthText(submission.videoDurationSeconds)}</p>${submission.notes && prose(submission.notes)}${recording(slot)}`}`;
}

const video = portal.slot.below("recording");
const captions = video.below("captions");

/** The submitted video, with captions if it has a transcript. */
function recording({ id, game, hasCaptions, submission }: HeldSlot): Markup {
  const path = video(id);
  const seconds = submission?.videoDurationSeconds;
  return html`${player({
    src: path,
    label: `Your playtest of ${game.name}`,
    ...(hasCaptions && { captions: captions(id) }),
    ...(typeof seconds === "number" && { lengthMs: seconds * 1000 }),
  })}
<p class="soft"><a href="${path}" download>Download the video</a>, for example if your browser cannot play its format.${hasCaptions && " The captions are its transcript."}</p>`;
}

/** A signed link to the build. It is created when the link is opened, because it is valid for an hour and the page may stay open longer. */
const build = {
  at: portal.slot.below("build"),
  async link({ call, id }: PageContext): Promise<string> {
    const { slot } = (await call("getHeldSlot", { params: { id } })).data;
    if (slot.buildUrl === undefined) throw notFound();
    return slot.buildUrl;
  },
};

export const slots: PortalPage = { at: portal.slots, view: slotsPage };

export const slot = ({ sendMedia, storeVideo }: PortalHost): PortalPage => ({
  at: portal.slot,
  view: slotPage,
  actions: [...slotActions, ...teamActions, { at: videoForm, serve: storeVideo(slotPage) }],
  files: [build, { at: video, serve: sendMedia("video") }, { at: captions, serve: sendMedia("captions") }],
});
