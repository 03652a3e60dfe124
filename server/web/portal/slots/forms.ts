import { watchableFormats } from "../../../../src/contract/files/inspect-video.ts";
import { videoExtensions } from "../../../../src/contract/files/media.ts";
import type { Device } from "../../../../src/contract/games.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { type BlockReason, blockReasons } from "../../../../src/contract/slots.ts";
import { lengthText } from "../../../../src/contract/text/length.ts";
import { fileSize } from "../../../lib/free-space.ts";
import { html, type Markup } from "../../html.ts";
import { devices } from "../../shared/devices.ts";
import { disabledButton, fault, marked, tokens } from "../../shared/parts.ts";
import { timeIn } from "../../shared/text.ts";
import { confirmedTime } from "../offers/facts.ts";
import { action, type HeldSlot, type PageContext } from "../types.ts";

type Limits = Data<"getServerInfo">["limits"];

const videoTypes = `video/mp4,video/webm,video/quicktime,video/x-matroska,${videoExtensions.join(",")}`;

/** What a video must be, as playtesters should know before they record one. */
const requirements = ({ playtest }: HeldSlot, { videoBytes }: Limits): Markup => html`<dl class="needs">
<div><dt>Length</dt><dd>${playtest.minVideoSeconds > 0 && html`at least ${lengthText(playtest.minVideoSeconds)}; `}this playtest is booked for ${playtest.durationMinutes} minutes</dd></div>
<div><dt>Size</dt><dd>at most ${fileSize(videoBytes)}</dd></div>
<div><dt>Format</dt><dd>MP4, WebM, MOV or MKV. Everybody can watch ${watchableFormats}.</dd></div></dl>`;

interface Terms {
  limits: Limits;
  /** The zone in which the playtester is told times; null for UTC. */
  zone: string | null;
  /** What looks wrong in the uploaded video, in sentences. */
  wrong: readonly string[];
}

/**
 * The forms to submit: first the video, then the notes. The page's script uploads the video to the API by tus. Without scripts, the form
 * posts the file.
 */
export function submitForms(context: PageContext, slot: HeldSlot, terms: Terms): Markup {
  const { limits } = terms;
  const video = slot.uploadedVideo;
  const label = video ? "Replace the video" : "Choose a video";
  return html`<section><h2>Your video</h2>
<p>Record your screen and your voice while you play. <a href="${portal.howToRecord()}">How to record on your device</a></p>
${requirements(slot, limits)}
<p id="video-state" role="status">${video && html`<strong>${video.filename}</strong> (${fileSize(video.sizeBytes)}, length: ${lengthText(video.durationSeconds)}) is uploaded.`}</p>
<div class="note bad" id="video-error" role="alert" tabindex="-1" hidden></div>
<p class="note bad" id="video-warning" role="status" hidden></p>
<div id="upload" hidden data-slot="${slot.id}" data-csrf="${context.session.csrf}" data-max-bytes="${limits.videoBytes}">
<label for="video" id="video-label">${label}</label>
<input id="video" type="file" accept="${videoTypes}">
<div id="upload-progress" hidden><label for="progress">Uploaded: <span id="percent">0 %</span></label><progress id="progress" max="1" value="0"></progress>
<p class="soft" id="transfer"></p>
<button type="button" class="quiet" id="pause">Pause</button> <button type="button" class="quiet" id="discard" hidden>Discard this upload</button></div></div>
<form method="post" action="${videoForm(slot.id)}" enctype="multipart/form-data" id="plain-upload">${tokens(context)}
<label for="file">${label}</label>
<input id="file" name="video" type="file" accept="${videoTypes}" required>
<button class="quiet">Upload</button>
<p class="soft">Keep this page open until the upload is done. Without JavaScript, an interrupted upload starts over; with it, the upload resumes.</p></form></section>
<section><h2>Submit</h2>
<form method="post" action="${submit.at(slot.id)}">${tokens(context)}
<label for="device">What did you play on? <span class="soft">(optional)</span></label>
<select id="device" name="device"${marked(context, "device")}><option value="">Not said</option>${devices.map(({ value, label }) => html`<option value="${value}"${value === context.form.device && html` selected`}>${label}</option>`)}</select>
${fault(context, "device")}
<label for="notes">Notes for the owner <span class="soft">(optional)</span></label>
<textarea id="notes" name="notes" maxlength="5000"${marked(context, "notes")}>${context.form.notes}</textarea>
${fault(context, "notes")}
<div id="submit">${submitButton(slot, context.now, terms)}</div><p class="why" id="submit-waits" hidden></p></form></section>`;
}

function submitButton(slot: HeldSlot, now: number, { zone, wrong }: Terms): Markup {
  const { uploadedVideo: video, scheduledAt: at, playtest } = slot;
  const shortest = playtest.minVideoSeconds;
  if (at !== null && Date.parse(at) > now)
    return disabledButton("Submit", "why-submit", html`You can submit from ${timeIn(at, zone)} on.`);
  if (!video) return disabledButton("Submit", "why-submit", "You can submit when your video is uploaded.");
  const length = video.durationSeconds;
  if (length === null || length >= shortest)
    return html`${wrong.length > 0 && confirmWrong(wrong)}<p class="soft">This submits <strong>${video.filename}</strong>. You cannot change it afterwards.</p><button>Submit</button>`;
  const why = `You cannot submit this video: it is ${lengthText(length)} long, and at least ${lengthText(shortest)} are required. Upload a longer one.`;
  return disabledButton("Submit", "why-submit", why);
}

/** What looks wrong with the video that would be submitted. The browser asks for the tick. */
const confirmWrong = (wrong: readonly string[]): Markup =>
  html`<div class="note bad"><p>Look at your video again before you submit it. Owners reject videos for this:</p><ul>${wrong.map((one) => html`<li>${one}</li>`)}</ul></div>
<label class="check"><input type="checkbox" name="sure" value="yes" required> I looked at it, and submit the video as it is.</label>`;

export const reasons: Record<(typeof blockReasons)[number], string> = {
  build_unavailable: "I cannot download or start the game",
  crash: "The game crashes",
  key_invalid: "The key does not work",
  not_as_described: "It does not match its description",
  unsafe: "It seems unsafe",
  other: "Something else",
};

export const reportForm = (context: PageContext, slot: HeldSlot): Markup => html`<section><h2>Having a problem?</h2>
<details${context.form.reason !== undefined && html` open`}><summary>Report a problem</summary>
<p>The owner is notified, and your deadline is paused until your report is answered. If nobody answers in time, the slot is cancelled${slot.playtest.payoutCents > 0 && " and not paid"}.</p>
<form method="post" action="${report.at(slot.id)}">${tokens(context)}
<label for="reason">What is wrong?</label>
<select id="reason" name="reason"${marked(context, "reason")}>${blockReasons.map((reason) => html`<option value="${reason}"${reason === context.form.reason && html` selected`}>${reasons[reason]}</option>`)}</select>
${fault(context, "reason")}
<label for="problem">What happened? <span class="soft">(optional)</span></label>
<textarea id="problem" name="problem" maxlength="2000"${marked(context, "problem")}>${context.form.problem}</textarea>
${fault(context, "problem")}
<button class="quiet">Report</button></form></details></section>`;

/** The other time that the owner proposes. */
export const proposalForm = (context: PageContext, { id, proposal }: HeldSlot, zone: string | null): Markup | false =>
  proposal !== null &&
  html`<section><h2>Another time</h2>
<p>The owner proposes to play at <strong>${timeIn(proposal.scheduledAt, zone)}</strong>.</p>
<p>Answer by ${timeIn(proposal.answerBy, zone)}. If you decline or do not answer, your slot is released. This does not count against you.</p>
<form method="post" action="${reschedule.at(id)}">${tokens(context)}<input type="hidden" name="scheduledAt" value="${proposal.scheduledAt}" autocomplete="off"><button name="answer" value="accept">Accept</button> <button name="answer" value="decline" class="quiet">Decline</button></form></section>`;

/** The other time, for a member of a team for which another playtester answers. */
export const proposalNote = ({ proposal, team }: HeldSlot, zone: string | null): Markup | false =>
  proposal !== null &&
  html`<section><h2>Another time</h2>
<p>The owner proposes to play at <strong>${timeIn(proposal.scheduledAt, zone)}</strong>.</p>
<p>${team?.members.find(({ isClaimant }) => isClaimant)?.displayName} answers for your team by ${timeIn(proposal.answerBy, zone)}. Without an answer, the slot is released. This does not count against you.</p></section>`;

export const releaseForm = (context: PageContext, slot: HeldSlot): Markup => html`<section><h2>Can't finish?</h2>
<details><summary>Release this slot</summary>
<p>You no longer hold it then, and you cannot take part in this playtest again.</p>
<form method="post" action="${release.at(slot.id)}">${tokens(context)}<button class="danger">Release slot</button></form></details></section>`;

/** What becomes of the video of a playtester who withdraws the consent. */
function withdrawalOf({ status, playtest }: HeldSlot): string {
  const isPaid = playtest.payoutCents > 0;
  return status === "publishing" || status === "accepted"
    ? `the video is deleted where it was published, and its address no longer works.${isPaid ? " You are paid all the same." : ""}`
    : `the video is not published then.${isPaid ? " If the owner accepts it, you are paid as usual." : ""}`;
}

/** For a video that is published, or will be. */
export const unpublishForm = (context: PageContext, slot: HeldSlot): Markup => html`<section><h2>Your consent</h2>
<details${context.form.why !== undefined && html` open`}><summary>Withdraw from publication</summary>
<p>You consented to the publication of ${slot.submission ? "this" : "your"} video when you took part. You can withdraw that at any time, without a reason: ${withdrawalOf(slot)} The owner of the game is told, and can still watch it, as you can. It cannot be published again.</p>
<form method="post" action="${unpublish.at(slot.id)}">${tokens(context)}
<label for="why">Reason, shown to the owner <span class="soft">(optional)</span></label>
<textarea id="why" name="why" maxlength="2000"${marked(context, "why")}>${context.form.why}</textarea>
${fault(context, "why")}
<button class="danger">Withdraw</button></form></details></section>`;

/** Where browsers without scripts post the video. */
export const videoForm = portal.slot.below("video");

const submitFields = { notes: { label: "Notes for the owner", id: "notes" } };

const submit = action({ at: portal.slot.below("submit"), fields: submitFields }, async ({ call, id, form }) => {
  const notes = form.notes?.trim();
  // The operation says which devices there are.
  const body = { ...(notes && { notes }), ...(form.device && { device: form.device as Device }) };
  await call("submitSlot", { params: { id }, idempotencyKey: form.formKey, body });
  return `${portal.slot(id)}?done=submitted`;
});

const release = action({ at: portal.slot.below("release") }, async ({ call, id, form }) => {
  await call("releaseSlot", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.slots()}?done=released`;
});

const unpublish = action(
  { at: portal.slot.below("unpublish"), fields: { reason: { label: "Reason", id: "why" } } },
  async ({ call, id, form }) => {
    const why = form.why?.trim();
    await call("withdrawVideo", { params: { id }, idempotencyKey: form.formKey, body: { ...(why && { reason: why }) } });
    return `${portal.slot(id)}?done=unpublished`;
  },
);

const reportFields = { reasonCode: { label: "What is wrong?", id: "reason" }, notes: { label: "What happened?", id: "problem" } };

const report = action({ at: portal.slot.below("report"), fields: reportFields }, async ({ call, id, form }) => {
  const problem = form.problem?.trim();
  await call("reportSlot", {
    params: { id },
    idempotencyKey: form.formKey,
    // The operation validates the reason.
    body: { reasonCode: form.reason as BlockReason, ...(problem && { notes: problem }) },
  });
  return `${portal.slot(id)}?done=reported`;
});

const reschedule = action({ at: portal.slot.below("reschedule") }, async ({ call, id, form }) => {
  const accept = form.answer === "accept";
  await call("rescheduleSlot", { params: { id }, idempotencyKey: form.formKey, body: { accept, ...confirmedTime(form) } });
  return `${portal.slot(id)}?done=${accept ? "moved" : "declined-time"}`;
});

export const slotActions = [submit, release, unpublish, report, reschedule];
