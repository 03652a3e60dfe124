import { blockReasons } from "../../../src/contract/slots.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import { html, type Markup } from "../html.ts";
import { fileSize, tokens } from "./layout.ts";
import type { HeldSlot, PageContext } from "./types.ts";

const videoTypes = "video/mp4,video/webm,video/quicktime,video/x-matroska,.mp4,.webm,.mov,.mkv";

/**
 * The forms to submit: first the video, then the notes. The page's script uploads the video to the API by tus. Without scripts, the form
 * posts the file.
 */
export function submitForms(context: PageContext, slot: HeldSlot): Markup {
  const video = slot.uploadedVideo;
  const shortest = slot.playtest.minVideoSeconds;
  const tooShort = (video?.durationSeconds ?? shortest) < shortest;
  return html`<section><h2>Your video</h2>
<p id="video-state" role="status">${video ? html`<strong>${video.filename}</strong> (${fileSize(video.sizeBytes)}, length: ${lengthText(video.durationSeconds)}) is uploaded.${tooShort && html` It is too short: upload a longer one.`}` : "Record your screen and your voice while you play. Accepted formats: MP4, WebM, MOV and MKV."}</p>
${shortest > 0 && html`<p class="soft">This playtest is booked for ${slot.playtest.durationMinutes} minutes. The video must be at least ${lengthText(shortest)} long.</p>`}
<div id="upload" hidden data-slot="${slot.id}" data-csrf="${context.session.csrf}">
<label for="video">${video ? "Replace the video" : "Choose a video"}</label>
<input id="video" type="file" accept="${videoTypes}">
<div id="upload-progress" hidden><label for="progress">Uploaded: <span id="percent">0 %</span></label><progress id="progress" max="1" value="0"></progress>
<button type="button" class="quiet" id="pause">Pause</button></div></div>
<form method="post" action="/play/slots/${slot.id}/video" enctype="multipart/form-data" id="plain-upload">${tokens(context)}
<label for="file">${video ? "Replace the video" : "Choose a video"}</label>
<input id="file" name="video" type="file" accept="${videoTypes}" required>
<button class="quiet">Upload</button>
<p class="soft">Keep this page open until the upload is done. Without JavaScript, an interrupted upload starts over; with it, the upload resumes.</p></form></section>
<section><h2>Submit</h2>
<form method="post" action="/play/slots/${slot.id}/submit" id="submit"${!video && html` data-needs-video`}>${tokens(context)}
<label for="notes">Notes for the owner <span class="soft">(optional)</span></label>
<textarea id="notes" name="notes" maxlength="5000">${context.form.notes}</textarea>
<button>Submit</button></form></section>`;
}

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
<p>The owner is notified, and your deadline is paused until your report is answered. If nobody answers in time, the slot is cancelled and not paid.</p>
<form method="post" action="/play/slots/${slot.id}/report">${tokens(context)}
<label for="reason">What is wrong?</label>
<select id="reason" name="reason">${blockReasons.map((reason) => html`<option value="${reason}"${reason === context.form.reason && html` selected`}>${reasons[reason]}</option>`)}</select>
<label for="problem">What happened? <span class="soft">(optional)</span></label>
<textarea id="problem" name="problem" maxlength="2000">${context.form.problem}</textarea>
<button class="quiet">Report</button></form></details></section>`;

export const releaseForm = (context: PageContext, slot: HeldSlot): Markup => html`<section><h2>Can't finish?</h2>
<details><summary>Release this slot</summary>
<p>Someone else can then claim it. You cannot take part in this playtest again.</p>
<form method="post" action="/play/slots/${slot.id}/release">${tokens(context)}<button class="danger">Release slot</button></form></details></section>`;
