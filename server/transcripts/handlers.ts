import type { TranscriptionStatus } from "../../src/contract/states/index.ts";
import { toWebVtt } from "../../src/contract/text/webvtt.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import type { Handlers } from "../http/call.ts";
import { ApiError, invalid, notFound } from "../lib/api-error.ts";
import { signedUrl } from "../lib/signed-links.ts";
import * as slots from "../playtests/slots/store.ts";
import { removeEdited, requireEditable, selectEdited, storeText } from "./edit.ts";
import * as store from "./store.ts";

async function shown(deps: Deps, q: Query, slotId: string, ownerId: string) {
  const row = await store.findForSlot(q, slotId);
  const blobKey = row && store.approvedKey(row);
  if (!row?.selected_version || blobKey === undefined) throw unavailable(row?.status);
  const filename = `transcript-${slotId}.vtt`;
  const file = { blobKey, filename, contentType: "text/vtt; charset=utf-8", disposition: "attachment" } as const;
  const { url } = signedUrl(deps, file, ownerId);
  const keyTakeaways = JSON.parse(row.key_takeaways) as string[];
  return { downloadUrl: url, filename, version: row.selected_version, keyTakeaways };
}

export const transcripts = {
  getSlotTranscript: (call) =>
    call.read(async (q) => {
      if (!(await slots.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return shown(call.deps, q, call.params.id, call.principal.userId);
    }),

  async putSlotTranscript(call) {
    const [slotId, ownerId] = [call.params.id, call.principal.userId];
    await call.read((q) => requireEditable(q, slotId, ownerId));
    const { vtt, fault } = toWebVtt(call.body.vtt);
    if (vtt === undefined) throw invalid("vtt", fault);
    const key = await storeText(call.deps, vtt);
    const committed = await call.commit(async (tx) => {
      await selectEdited(tx, slotId, ownerId, key);
      return shown(call.deps, tx, slotId, ownerId);
    });
    // The reply may be that of the same request to another process: then nothing was changed here, and this text is left over.
    const row = await call.read((q) => store.findForSlot(q, slotId));
    if (row?.edited_key !== key) await call.deps.blobs.remove(key);
    return committed;
  },

  deleteSlotTranscript: (call) =>
    call.commit(async (tx) => {
      const wasEdited = await removeEdited(tx, call.params.id, call.principal.userId);
      return { message: wasEdited ? "The edited transcript is deleted." : "This transcript was not edited." };
    }),
} satisfies Partial<Handlers>;

const unavailable = (status: TranscriptionStatus | undefined) =>
  new ApiError(
    "NOT_FOUND",
    status ? `The transcript of this slot is not available: its status is ${status}.` : "This slot has no transcript.",
  );
