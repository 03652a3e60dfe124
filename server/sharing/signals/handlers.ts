import { readCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import * as slots from "../../playtests/slots/store.ts";
import * as search from "../../search/store.ts";
import { factsOf, speechOf } from "./rules.ts";
import * as store from "./store.ts";

const notMeasured = () =>
  new ApiError("NOT_FOUND", "The video of this slot is not measured. Try again later, if it was sent just now.");

/** What was measured of the video that the caller may see: an owner once it is submitted, its playtester at once. */
async function findFor(q: Query, slotId: string, userId: string) {
  const own = await slots.findForOwner(q, slotId, userId);
  const slot = own ?? (await slots.findForPlaytester(q, slotId, userId));
  if (!slot) throw notFound();
  const row = await store.find(q, slotId);
  if (row?.status !== "ready" || (own && row.blob_key !== slot.blob_key)) throw notMeasured();
  return { slot, row };
}

/** The seconds with speech by the transcript; null without one. */
async function speechIn(deps: Deps, slotId: string, seconds: number): Promise<number[] | null> {
  const transcript = await deps.store.read((q) => search.findTranscript(q, slotId));
  const vtt = transcript?.key == null ? undefined : await deps.blobs.text(transcript.key);
  return vtt === undefined ? null : speechOf(readCues(vtt), seconds);
}

/** What was measured of recordings. */
export const signals = {
  async getSlotSignals(call) {
    const { slot, row } = await call.read((q) => findFor(q, call.params.id, call.principal.userId));
    const found = store.signalsOf(row);
    const seconds = Math.max(found.loudness?.length ?? 0, found.motion?.length ?? 0);
    const lengthMs = slot.video_duration_ms ?? seconds * 1000;
    return {
      signals: {
        stepMs: 1000 as const,
        loudnessDb: found.loudness && [...found.loudness],
        motion: found.motion && [...found.motion],
        speech: await speechIn(call.deps, slot.id, seconds),
      },
      facts: factsOf(found, lengthMs, slot.duration_minutes),
    };
  },
} satisfies Partial<Handlers>;
