import { reelCardMs } from "../../../src/contract/sharing/kinds.ts";
import { readCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import { playerNames } from "../../playtests/teams/players.ts";
import * as search from "../../search/store.ts";
import * as clips from "../clips/store.ts";
import type { Cutter } from "../cutter.ts";
import type { Workplace } from "../cutting.ts";
import { cuesWithin } from "../shares/rules.ts";
import type { Shown } from "./drawing.ts";

interface Cutting {
  cutter: Cutter;
  at: Workplace;
  to: string;
}

/** What is said in a part, without who says it; nothing where there is no transcript. */
async function saidIn(deps: Deps, { slot_id, at_ms, end_ms }: clips.PartRow): Promise<Shown["said"]> {
  const { transcript, hidden } = await deps.store.read(async (q) => ({
    transcript: await search.findTranscript(q, slot_id),
    hidden: await playerNames(q, slot_id),
  }));
  const vtt = transcript?.key == null ? undefined : await deps.blobs.text(transcript.key);
  if (vtt === undefined) return [];
  return cuesWithin(readCues(vtt, { hidden }), { at_ms, end_ms });
}

/** Cuts the parts of a reel, each behind its card, and joins them. */
export async function cutReel(deps: Deps, row: clips.ClipRow, { cutter, at, to }: Cutting): Promise<void> {
  const parts = await deps.store.read((q) => clips.partsOf(q, row.id));
  for (const [index, part] of parts.entries()) {
    const shown = {
      title: part.title,
      facts: part.facts,
      cardMs: reelCardMs,
      said: row.captions === 1 ? await saidIn(deps, part) : [],
    };
    const from = await at.video(part.slot_id);
    await cutter.reelPart(from, { atMs: part.at_ms, endMs: part.end_ms }, { folder: at.folder, index, shown }, deps.draining);
  }
  await cutter.join(at.folder, parts.length, to, deps.draining);
}
