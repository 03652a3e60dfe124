import type { Data } from "../../../../src/contract/index.ts";
import { wrongWith } from "../../../../src/contract/signals/recording.ts";
import { ApiError } from "../../../lib/api-error.ts";
import type { HeldSlot, PageContext } from "../types.ts";

/** What the server measured of the uploaded video. Nothing until it is measured. */
async function factsOf({ call }: PageContext, { id }: HeldSlot): Promise<Data<"getSlotSignals">["facts"]> {
  try {
    return (await call("getSlotSignals", { params: { id } })).data.facts;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

/** What the playtester should know of the uploaded video before submitting it. */
export async function wrongIn(context: PageContext, slot: HeldSlot): Promise<string[]> {
  const { uploadedVideo: video, playtest } = slot;
  if (!video) return [];
  return wrongWith({
    seconds: video.durationSeconds,
    bookedMinutes: playtest.durationMinutes,
    facts: await factsOf(context, slot),
  });
}
