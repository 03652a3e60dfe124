import type { TranscriptionStatus } from "../../src/contract/states/index.ts";
import type { Deps } from "../app/deps.ts";
import type { HandlersFor } from "../http/call.ts";
import { notFound, Problem } from "../lib/problem.ts";
import { signedUrl } from "../lib/signed-links.ts";
import * as slots from "../playtests/slots/store.ts";
import * as store from "./store.ts";

export function transcripts(deps: Deps): HandlersFor<"getSlotTranscript"> {
  return {
    getSlotTranscript: (call) =>
      call.read(async (q) => {
        if (!(await slots.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
        const row = await store.findForSlot(q, call.params.id);
        const blobKey = row?.selected_version === "edited" ? row.edited_key : row?.original_key;
        if (row?.status !== "approved" || !row.selected_version || !blobKey) throw unavailable(row?.status);
        const filename = `transcript-${call.params.id}.vtt`;
        const { url } = signedUrl(deps, { blobKey, filename, contentType: "text/vtt; charset=utf-8", disposition: "attachment" });
        const keyTakeaways = JSON.parse(row.key_takeaways) as string[];
        return { downloadUrl: url, filename, version: row.selected_version, keyTakeaways };
      }),
  };
}

const unavailable = (status: TranscriptionStatus | undefined) =>
  new Problem(
    "NOT_FOUND",
    status ? `The transcript of this slot is not available: its status is ${status}.` : "This slot has no transcript.",
  );
