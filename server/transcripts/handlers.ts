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

/** After the commit: links to an edited version that was replaced end with it. */
const discard = async (deps: Deps, key: string | null) => key !== null && deps.blobs.remove(key);

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
    // A request that was answered before changes nothing: then its own text is left over.
    let replaced: string | null = key;
    const committed = await call.commit(async (tx) => {
      replaced = await selectEdited(tx, slotId, ownerId, key);
      return shown(call.deps, tx, slotId, ownerId);
    });
    await discard(call.deps, replaced);
    return committed;
  },

  async deleteSlotTranscript(call) {
    let removed: string | null = null;
    const committed = await call.commit(async (tx) => {
      removed = await removeEdited(tx, call.params.id, call.principal.userId);
      return { message: removed === null ? "This transcript was not edited." : "The edited transcript is deleted." };
    });
    await discard(call.deps, removed);
    return committed;
  },
} satisfies Partial<Handlers>;

const unavailable = (status: TranscriptionStatus | undefined) =>
  new ApiError(
    "NOT_FOUND",
    status ? `The transcript of this slot is not available: its status is ${status}.` : "This slot has no transcript.",
  );
