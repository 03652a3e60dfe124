import { lengthText } from "../../../../src/contract/text/length.ts";
import { ApiError } from "../../../lib/api-error.ts";
import type { HeldSlot, PageContext } from "../types.ts";

/** A video of less than this share of the booked time is much too short. */
const shortShare = 0.9;

/** What the server measured of the uploaded video and looks wrong, in sentences. Empty until it is measured. */
async function measured({ call }: PageContext, { id }: HeldSlot): Promise<string[]> {
  try {
    const { facts } = (await call("getSlotSignals", { params: { id } })).data;
    return facts.filter(({ kind }) => kind !== "short").map(({ text }) => text);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function tooShort({ uploadedVideo: video, playtest: { durationMinutes: booked } }: HeldSlot): string[] {
  const seconds = video?.durationSeconds;
  if (typeof seconds !== "number" || seconds >= booked * 60 * shortShare) return [];
  return [`The video is ${lengthText(seconds)} long, and the playtest is booked for ${booked} minutes.`];
}

/** What the playtester should know of the uploaded video before submitting it: owners reject videos for such things. */
export async function wrongIn(context: PageContext, slot: HeldSlot): Promise<string[]> {
  if (!slot.uploadedVideo) return [];
  return [...tooShort(slot), ...(await measured(context, slot))];
}
