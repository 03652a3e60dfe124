import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { cutFailure } from "../../../../src/contract/text/cut-failure.ts";
import { positionText } from "../../../../src/contract/text/position.ts";
import { invalid } from "../../../lib/api-error.ts";
import { fileSize } from "../../../lib/free-space.ts";
import { html, type Markup } from "../../html.ts";
import { fault, marked, tokens } from "../../shared/parts.ts";
import { ifAllowed } from "../allowed.ts";
import { commandButton, plural } from "../parts.ts";
import { slotFiles } from "../review/files.ts";
import { span } from "../review/span.ts";
import { action, type StudioContext } from "../types.ts";

export type Clip = Data<"listClips">["clips"][number];

const most = 20;

/** The newest clips of a slot. Undefined where the server cuts none. */
export async function clipsOf({ call, id }: StudioContext): Promise<Clip[] | undefined> {
  return (await ifAllowed(call("listClips", { params: { id }, query: { limit: most } })))?.data.clips;
}

/** The clips of a video and, where the server cuts clips, the form that does. */
export function clipsSection(context: StudioContext, clips: readonly Clip[] | undefined, cuts: boolean): Markup | false {
  if (!clips) return false;
  return html`<section class="review-card" id="clips"><h2>Clips</h2>
${clips.length > 0 && html`<ul class="shared">${clips.map((clip) => row(context, clip))}</ul>`}
${cuts ? cutForm(context) : cutsNothing}</section>`;
}

/** Whether a server cuts clips. One of an earlier version does not say, and says what is missing when it is asked to cut. */
export const cutsClips = (server: Data<"getServerInfo"> | undefined) => server?.features.clips !== false;

/** In place of the forms that cut. */
export const cutsNothing = html`<p class="soft">This server cannot cut clips and still images. Its operator can install ffmpeg and set <code>clips.ffmpeg</code> to <code>["ffmpeg"]</code> in its configuration.</p>`;

const cutForm = (context: StudioContext) => {
  const { form, id } = context;
  return html`<details${form.part !== undefined && html` open`}><summary>Cut a clip</summary><form method="post" action="${cut.at(id)}">${tokens(context)}
<label for="part">From and to</label>
<input id="part" name="part" value="${form.part}" required autocomplete="off" placeholder="12:30-12:55"${marked(context, "part")}>${fault(context, "part")}
<p class="set-part" hidden><button type="button" class="quiet" data-set="from">From here <kbd>I</kbd></button> <button type="button" class="quiet" data-set="to">To here <kbd>O</kbd></button></p>
<label for="clip-name">Name <span class="soft">(optional)</span></label>
<input id="clip-name" name="name" value="${form.name}" maxlength="100" autocomplete="off"${marked(context, "clip-name")}>${fault(context, "clip-name")}
<button class="quiet">Cut</button></form>
${commandButton(context, `playtest review clip ${id} 12:30-12:55`)}</details>`;
};

function stateOf({ status, size, limit }: Clip): string {
  if (status === "pending") return "is being cut: reload this page in a moment";
  if (status === "failed") return `could not be cut: ${cutFailure(limit)}`;
  return size === null ? "" : fileSize(size);
}

function row(context: StudioContext, clip: Clip): Markup {
  const { id, name, atMs, endMs, parts, status, downloadUrl, thumbnailUrl } = clip;
  const part = parts
    ? `reel of ${plural(parts.length, "part")}, ${positionText(endMs)}`
    : `${positionText(atMs)}–${positionText(endMs)}`;
  const what = downloadUrl === null ? html`${name}` : html`<a href="${downloadUrl}" rel="noreferrer">${name}</a>`;
  const state = stateOf(clip);
  return html`<li id="clip-${id}"${status === "pending" && html` data-cutting`}>${what} <span class="soft">${part}${state !== "" && ` · ${state}`}</span>
${thumbnailUrl && html`<p class="still"><img src="${slotFiles.clipThumbnail(context.id, id)}" alt="The clip ${name}" loading="lazy"></p>`}
${status === "ready" && html`<a href="?clip=${id}#shares" data-share="${id}">Share<span class="hidden"> the clip ${name}</span></a> `}<form method="post" action="${remove.at(context.id)}">${tokens(context)}<input type="hidden" name="clip" value="${id}"><button class="link">Delete<span class="hidden"> the clip ${name}</span></button></form></li>`;
}

const part = { label: "From and to", id: "part" };

const cutFields = { atMs: part, endMs: part, name: { label: "Name", id: "clip-name" } };

const cut = action({ at: studio.slot.below("clips"), fields: cutFields }, async ({ call, id, form }) => {
  const { atMs, endMs } = span(form.part);
  if (endMs === null) throw invalid("atMs", "must be a part of the video, such as 12:30-12:55");
  const name = form.name?.trim();
  await call("createClip", { params: { id }, idempotencyKey: form.formKey, body: { atMs, endMs, ...(name && { name }) } });
  return `${studio.slot(id)}?done=clipped#clips`;
});

const remove = action({ at: studio.slot.below("clips/delete") }, async ({ call, id, form }) => {
  await call("deleteClip", { params: { id: form.clip ?? "" }, idempotencyKey: form.formKey });
  return `${studio.slot(id)}?done=unclipped#clips`;
});

export const clipActions = [cut, remove];

export const clipNotices: readonly (readonly [string, string])[] = [
  ["clipped", "The clip is being cut. Reload this page in a moment to download it."],
  ["unclipped", "The clip is deleted."],
];
