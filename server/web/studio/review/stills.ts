import { studio } from "../../../../src/contract/pages/addresses.ts";
import { cutFailure } from "../../../../src/contract/text/cut-failure.ts";
import { positionText } from "../../../../src/contract/text/position.ts";
import { ApiError } from "../../../lib/api-error.ts";
import { html, type Markup } from "../../html.ts";
import { NotOffered } from "../../shared/not-offered.ts";
import { tokens } from "../../shared/parts.ts";
import { action, type StudioContext } from "../types.ts";
import type { Moment } from "./data.ts";
import { slotFiles } from "./files.ts";

/** Still images of the video at moments. */

const stateOf = ({ status, limit }: NonNullable<Moment["still"]>) =>
  status === "pending"
    ? "The still image is being cut. Reload this page in a moment."
    : `The still image could not be cut: ${cutFailure(limit)}.`;

/** The image of a moment, or what became of it. `data-cutting`: the page's script looks again until it is there. */
export function stillImage({ id }: StudioContext, { id: momentId, still, atMs }: Moment): Markup | false {
  if (!still) return false;
  if (still.status !== "ready")
    return html`<p class="soft" id="still-${momentId}"${still.status === "pending" && html` data-cutting`}>${stateOf(still)}</p>`;
  return html`<p class="still" id="still-${momentId}"><a href="${slotFiles.still(id, momentId)}"><img src="${slotFiles.thumbnail(id, momentId)}" alt="The video at ${positionText(atMs)}" loading="lazy"></a></p>`;
}

const formId = "stills";

/** The form of the buttons of all moments: with one for each, many moments would make the page several times as long. */
export function stillForm(context: StudioContext): Markup {
  const cursor = context.query.get("cursor") ?? context.form.cursor;
  return html`<form id="${formId}" method="post" action="${take.at(context.id)}" data-swap>${tokens(context)}${cursor && html`<input type="hidden" name="cursor" value="${cursor}">`}<p class="bad swap-problem" role="alert" hidden></p></form>`;
}

/** The button that takes an image, where the server cuts images, or takes it away. */
export function stillButton({ id: slotId }: StudioContext, { id, still, atMs }: Moment, cuts: boolean): Markup | false {
  if (still === undefined) return false;
  const isTaken = still !== null && still.status !== "failed";
  if (!isTaken && !cuts) return false;
  return html`<button class="link still-button" form="${formId}" name="moment" value="${id}"${isTaken && html` formaction="${remove.at(slotId)}"`}>${isTaken ? "Delete the image" : "Take an image"}<span class="hidden"> of the moment at ${positionText(atMs)}</span></button>`;
}

const pageAfter = ({ id, form }: StudioContext, done: string) =>
  `${studio.slot(id)}?${new URLSearchParams({ ...(form.cursor && { cursor: form.cursor }), done })}#moment-${form.moment}`;

const take = action({ at: studio.slot.below("moments/still") }, async (context) => {
  const { call, form } = context;
  await call("putStill", { params: { id: form.moment ?? "" }, idempotencyKey: form.formKey });
  return pageAfter(context, "pictured");
});

const remove = action({ at: studio.slot.below("moments/still/delete") }, async (context) => {
  const { call, form } = context;
  await call("deleteStill", { params: { id: form.moment ?? "" }, idempotencyKey: form.formKey });
  return pageAfter(context, "unpictured");
});

export const stillActions = [take, remove];

/** Takes the image of a moment that was just noted. Where the server refuses that, the moment is saved all the same. Returns the notice. */
export async function stillOfNew({ call, form }: StudioContext, momentId: string): Promise<string> {
  try {
    await call("putStill", { params: { id: momentId }, idempotencyKey: form.formKey });
    return "noted-pictured";
  } catch (error) {
    if (error instanceof NotOffered || (error instanceof ApiError && error.code === "NOT_CONFIGURED")) return "noted-uncut";
    if (error instanceof ApiError) return "noted-unpictured";
    throw error;
  }
}

export const stillNotices: readonly (readonly [string, string])[] = [
  ["noted-pictured", "The moment is saved. Its image is being cut."],
  ["noted-uncut", "The moment is saved, without an image: this server cuts none. Its operator can install ffmpeg."],
  ["noted-unpictured", "The moment is saved, without an image. “Take an image” beside it tries again, and says what is wrong."],
  ["pictured", "The still image is being cut. Reload this page in a moment."],
  ["unpictured", "The still image is deleted."],
];
