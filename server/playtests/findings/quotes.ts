import { isSaid } from "../../../src/contract/findings/quotes.ts";
import { readCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import { invalid } from "../../lib/api-error.ts";
import * as search from "../../search/store.ts";

/** 422 for a quote that the transcript of a video does not have at that time. Reads the file, so not inside a transaction. */
export async function requireSaid(
  deps: Deps,
  quote: string,
  { slotId, fromMs, toMs }: { slotId: string; fromMs: number; toMs: number | null },
): Promise<void> {
  const row = await deps.store.read((q) => search.findTranscript(q, slotId));
  const vtt = row?.key == null ? undefined : await deps.blobs.text(row.key);
  if (vtt === undefined) throw invalid("quote", "must be left out: this video has no transcript to find it in");
  if (!isSaid(quote, readCues(vtt.replaceAll("\0", ""), "hidden"), fromMs, toMs ?? fromMs))
    throw invalid("quote", "must stand in the transcript, word for word, within one cue of that time");
}
