import { studio } from "../../../../src/contract/pages/addresses.ts";
import { cleaned, leftOutText, type RemovedCue } from "../../../../src/contract/signals/cleaned.ts";
import { readCues } from "../../../../src/contract/text/cues.ts";
import { lengthText } from "../../../../src/contract/text/length.ts";
import { plural } from "../../../../src/contract/text/plural.ts";
import { parsePosition, positionText } from "../../../../src/contract/text/position.ts";
import { videoFormatText } from "../../../../src/contract/text/video-format.ts";
import { notFound } from "../../../lib/api-error.ts";
import { fileSize } from "../../../lib/free-space.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { type KeyRow, player, playerScript, playerStyle } from "../../player/markup.ts";
import { cuesAsJson, transcript, transcriptScript } from "../../player/transcript.ts";
import { deviceLabels } from "../../shared/devices.ts";
import { notice, prose } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import type { Download, MediaPart } from "../../shared/types.ts";
import { zoneFor } from "../../shared/zone.ts";
import { studioLayout } from "../layout.ts";
import { claimedBadge, slotBadge, trail } from "../parts.ts";
import { fixedTime, proposed } from "../playtests/times.ts";
import { clipActions, clipNotices, clipsSection } from "../sharing/clips.ts";
import { shareActions, shareNotices, sharesSection } from "../sharing/shares.ts";
import type { StudioContext, StudioHost, StudioPage } from "../types.ts";
import { type Measured, measuredOf, type Review, reviewOf, type Slot } from "./data.ts";
import { decision, decisions, testerName } from "./decide.ts";
import { slotFiles } from "./files.ts";
import { findingActions, findingNotices, findingsSection } from "./findings.ts";
import { messageForm, sendMessage } from "./message.ts";
import { markOf, momentActions, momentsSection } from "./moments.ts";
import { queueLinks } from "./queue.ts";
import { recordingSection, stripOf } from "./recording.ts";
import { stillActions, stillNotices } from "./stills.ts";

const said = new Map([
  ["accepted", "Accepted."],
  ["rejected", "Rejected. The playtester was told and is not paid."],
  ["retry", "Rejected. The playtester can try again within 24 hours."],
  ["noted", "The moment is saved."],
  ["changed", "The moment is changed."],
  ["deleted", "The moment is deleted."],
  ["sent", "Your message was sent."],
  ...shareNotices,
  ...clipNotices,
  ...stillNotices,
  ...findingNotices,
]);

const pageKeys: readonly KeyRow[] = [
  [["N", "P"], "Next or previous submission"],
  [["1 to 5"], "Choose the rating; then Enter accepts"],
  [["A"], "Accept: go to the rating; then Enter accepts"],
  [["R"], "Reject: go to the reason; then Ctrl + Enter rejects"],
  [["S"], "The moment here is the same as a finding"],
];

/** `/studio/slots/ID`: a submission with its video, transcript, moments and the decision about it. */
export async function slotPage(context: StudioContext): Promise<PageContent> {
  const review = await reviewOf(context);
  const { slot, place } = review;
  const zone = await zoneFor(context, [slot.scheduledAt]);
  const startMs = parsePosition(context.query.get("t") ?? "");
  const done = said.get(context.query.get("done") ?? "");
  const body = html`${done && notice(done)}${trail(slot.game, slot.requestId)}
<div class="review-head"><p>${stateOf(context, slot)} ${inShort(slot)}</p>${queueLinks(place)}</div>${slot.status === "reserved" && html`${fixedTime(slot, context.now, zone)}${proposed(slot, context.now, zone)}`}
<div class="review" data-scope data-account="${context.session.userId}"><div class="review-stage"><div class="review-video">${video(review, startMs)}</div>
${tabs(review)}${slot.status === "blocked" && html`<p><a class="button" href="${studio.problem(slot.id)}">Answer the problem</a></p>`}${slot.status === "submitted" ? decision(context, review) : outcome(review)}${place.number === undefined && decided}</div>
<div class="review-side"><div class="panel" id="transcript-panel" data-panel>${transcriptOf(context, review, startMs)}</div>
<div class="panel" id="notes" data-panel>${momentsSection(context, review, startMs)}</div>
<div class="panel" id="about" data-panel>${recordingSection(review)}${findingsSection(context, review)}${notesOf(review)}${clipsSection(context, review.clips, review.cuts)}${sharesSection(context, "slots", review.shares, review.clips)}${messageForm(context, review)}${facts(context, slot)}</div></div></div>`;
  const scripts = [playerScript, transcriptScript, "review.js"];
  const title = slot.playtester ? `${slot.playtester.displayName} plays ${slot.game.name}` : slot.game.name;
  const next = place.nextId;
  return studioLayout(context, "inbox", {
    title,
    body,
    ...(next && { nextPage: studio.slot(next) }),
    assets: { style: [playerStyle, "review.css"], scripts },
  });
}

/** On a narrow screen, one of the parts is shown at a time. Without scripts these are links to the parts, which are all shown. */
function tabs({ slot, moments }: Review): Markup | false {
  if (!slot.submission) return false;
  const count = `${moments.page.length}${moments.next === null ? "" : "+"}`;
  const parts = [
    ["decide", slot.status === "submitted" ? "Decision" : "Outcome"],
    ["notes", html`Moments <span class="soft">${count}</span>`],
    ["transcript-panel", "Transcript"],
    ["about", "More"],
  ] as const;
  return html`<nav class="review-tabs" aria-label="Parts of this review">${parts.map(([id, label]) => html`<a href="#${id}">${label}</a>`)}</nav>`;
}

/** What was decided in this tab, which its script fills in when nothing else waits. */
const decided = html`<section class="review-card" id="decided" hidden><h2>Decided in this tab</h2><p class="soft">A decision cannot be changed after it was sent.</p><ul></ul><p><a href="${studio.inbox()}">Back to the inbox</a></p></section>`;

/** Nobody plays a slot yet whose fixed time is to come. */
const stateOf = ({ now }: StudioContext, { status, scheduledAt: at }: Slot): Markup =>
  status === "reserved" && at != null && Date.parse(at) > now ? claimedBadge : slotBadge(status);

/** How much there is to watch. */
const inShort = ({ submission, playtest }: Slot): Markup => {
  const seconds = submission?.videoDurationSeconds;
  return html`<span class="soft">${typeof seconds === "number" && `${lengthText(seconds)} of `}${playtest.durationMinutes} minutes booked</span>`;
};

type Fact = readonly [name: string, what: Markup | string];

/** What is known of a submission besides its video, and the file itself. */
function facts(
  { site }: StudioContext,
  { id, submission, playtest, build, publishedUrl, publicationConsent }: Slot,
): Markup | false {
  if (!submission) return false;
  const { createdAt, videoFileSize: size, device } = submission;
  const rows: (Fact | false)[] = [
    ["Submitted", time(createdAt)],
    ["Visibility", playtest.visibility],
    device ? ["Played on", deviceLabels[device] ?? device] : false,
    build ? ["Build", html`${build.version ?? time(build.createdAt)}`] : false,
    typeof size === "number" && [
      "File",
      html`${fileSize(size)} · <a href="${slotFiles.video(id)}" download>Download the video</a>`,
    ],
    publicationConsent?.withdrawnAt != null && [
      "Publication",
      html`not published: the consent to it was withdrawn ${time(publicationConsent.withdrawnAt)}`,
    ],
    publishedUrl
      ? [
          "Published",
          html`<a href="${publishedUrl}">on ${publishedUrl.startsWith(`${site.baseUrl}/`) ? site.name : new URL(publishedUrl).hostname}</a>`,
        ]
      : false,
  ];
  return html`<section class="review-card"><h2>About this submission</h2><dl class="needs">${rows.filter((row) => row !== false).map(([name, what]) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`)}</dl></section>`;
}

const none = {
  open: "Nobody has claimed this slot yet, so there is no video.",
  reserved: "The playtester has not submitted a video yet.",
  blocked: "The playtester reported a problem and has not submitted a video.",
} as const;

/** Whether the owner can watch it here. Nothing where that is so, or not known. */
function formatNote({ videoFormat: format }: NonNullable<Slot["submission"]>): Markup | false {
  if (!format || format.playsEverywhere) return false;
  return html`<p class="${format.fault === null ? "soft" : "note bad"}">${format.fault === null ? "Format" : "Problem"}: ${videoFormatText(format)}.</p>`;
}

function video({ slot, lengthMs, cues, moments, measured, cuts, clips }: Review, startMs: number | undefined): Markup {
  if (!slot.submission) {
    const why = slot.status in none ? none[slot.status as keyof typeof none] : "No video was submitted for this slot.";
    return html`<p class="calm">${why}</p>`;
  }
  const src = slotFiles.video(slot.id);
  return html`${formatNote(slot.submission)}${player({
    src,
    label: `${testerName(slot)} plays ${slot.game.name}`,
    ...(cues !== null && { captions: slotFiles.captions(slot.id) }),
    ...(slot.posterUrl && { poster: slotFiles.poster(slot.id) }),
    ...(startMs !== undefined && { startMs }),
    ...(lengthMs !== undefined && { lengthMs }),
    strip: measured && stripOf(measured),
    marks: moments.page.map(markOf),
    takesMarks: true,
    cutsClips: cuts && clips !== undefined,
    pageKeys,
  })}`;
}

const withoutTranscript = {
  pending: "The transcript is being made. Reload this page in a few minutes.",
  processing: "The transcript is being made. Reload this page in a few minutes.",
  failed: "The transcript could not be made.",
} as const;

/** The demo of a sandbox transcribes nothing: everybody says the same there. */
const sampleTranscript = html`<p class="soft"><span class="badge">Simulated</span> This is a sample transcript. It is the same for every video of this sandbox.</p>`;

function transcriptOf(
  { id, query }: StudioContext,
  { slot, cues: all, measured, simulates }: Review,
  startMs: number | undefined,
): Markup | false {
  if (!slot.submission) return false;
  const { kept: cues, removed } = cleaned(all ?? [], loudnessOf(measured));
  const leftOut = removed.length > 0 && linesLeftOut(removed);
  if (cues.length > 0) {
    const from = /^\d{1,6}$/.exec(query.get("cue") ?? "")?.[0];
    const part = transcript({ cues, cuesPath: allCues.at(id), startMs, from: from === undefined ? undefined : Number(from) });
    return html`${part}${leftOut}${simulates.transcript && sampleTranscript}`;
  }
  const status = slot.transcription?.status ?? "";
  const why =
    all !== null
      ? removed.length > 0
        ? "All lines of this transcript are left out: see below why."
        : "Nothing is said in this video."
      : status in withoutTranscript
        ? withoutTranscript[status as keyof typeof withoutTranscript]
        : "This video has no transcript.";
  return html`<section class="transcript"><h2>Transcript</h2><p class="soft">${why}</p></section>${leftOut}`;
}

const loudnessOf = (measured: Measured | undefined) => measured?.signals.loudnessDb ?? null;

/** What is left out of a transcript, which is kept: programs that transcribe repeat themselves, and hear words in silence. */
const linesLeftOut = (removed: readonly RemovedCue[]): Markup =>
  html`<details><summary>${plural(removed.length, "line")} left out</summary><ul>${removed.map(
    ({ startMs, text, reason }) =>
      html`<li>${positionText(startMs)} ${text} <span class="soft">(${leftOutText[reason]})</span></li>`,
  )}</ul></details>`;

function notesOf({ slot, notesForTesters, simulates }: Review): Markup {
  const takeaways = slot.transcription?.keyTakeaways ?? [];
  return html`${takeaways.length > 0 && html`<section class="review-card"><h2>Takeaways${simulates.takeaways && html` <span class="badge">Simulated</span>`}</h2><ul>${takeaways.map((one) => html`<li>${one}</li>`)}</ul></section>`}
${slot.submission?.notes && html`<section class="review-card"><h2>Notes of ${testerName(slot)}</h2>${prose(slot.submission.notes)}</section>`}
${notesForTesters && html`<section class="review-card"><details><summary>What you asked for</summary>${prose(notesForTesters)}</details></section>`}`;
}

function outcome({ slot, payoutCents }: Review): Markup | false {
  const { status, rating, rejection } = slot;
  if (status === "rejected")
    return html`<section class="review-card" id="decide" data-panel><h2>Why it was rejected</h2>${rejection?.reason ? prose(rejection.reason) : html`<p class="soft">No reason was given.</p>`}</section>`;
  if (status !== "accepted" && status !== "publishing") return false;
  const paid = status === "accepted" && payoutCents !== null && payoutCents > 0;
  return html`<section class="review-card" id="decide" data-panel>${paid && html`<p>${testerName(slot)} was paid <strong>${usd(payoutCents)}</strong>.</p>`}<h2>Your rating</h2>${typeof rating?.score === "number" ? html`<p>${rating.score} of 5</p>` : html`<p class="soft">You gave no rating.</p>`}${rating?.comment && prose(rating.comment)}</section>`;
}

/** All cues that a transcript shows, for the script of the page. */
const allCues = {
  at: studio.slot.below("cues"),
  async download(context: StudioContext): Promise<Download> {
    const { call, captions, id } = context;
    await call("getSlot", { params: { id } });
    const text = await captions(id);
    if (text === undefined) throw notFound();
    const { kept } = cleaned(readCues(text), loudnessOf(await measuredOf(context)));
    return { filename: `cues-${id}.json`, contentType: "application/json", body: cuesAsJson(kept) };
  },
};

export const slot = ({ sendMedia }: StudioHost): StudioPage => ({
  at: studio.slot,
  view: slotPage,
  actions: [
    ...decisions,
    sendMessage,
    ...momentActions,
    ...stillActions,
    ...findingActions,
    ...Object.values(shareActions.slots),
    ...clipActions,
  ],
  files: [allCues, ...Object.entries(slotFiles).map(([part, at]) => ({ at, serve: sendMedia(part as MediaPart) }))],
});
