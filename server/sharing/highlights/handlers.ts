import { readCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import * as moments from "../../playtests/moments/store.ts";
import * as playtests from "../../playtests/store.ts";
import * as search from "../../search/store.ts";
import { signalsOf } from "../signals/store.ts";
import { highlightsOf, lexiconOf, type Watched } from "./rules.ts";
import * as store from "./store.ts";

async function cuesOf(deps: Deps, slotId: string) {
  const transcript = await deps.store.read((q) => search.findTranscript(q, slotId));
  const vtt = transcript?.key == null ? undefined : await deps.blobs.text(transcript.key);
  return vtt === undefined ? [] : readCues(vtt, "hidden");
}

async function watched(deps: Deps, of: "playtest" | "game", id: string, build?: string): Promise<Watched[]> {
  const [rows, notes] = await deps.store.read((q) => Promise.all([store.videosOf(q, of, id), store.notesOf(q, of, id)]));
  const videos: Watched[] = [];
  for (const row of rows) {
    const played = build && (await deps.store.read((q) => moments.buildAt(q, id, row.began_at)));
    if (build && (!played || played.id !== build)) continue;
    const own = notes.filter(({ slot_id }) => slot_id === row.slot_id);
    videos.push({
      slotId: row.slot_id,
      lengthMs: row.length_ms,
      signals: row.loudness === null && row.motion === null ? null : signalsOf(row),
      cues: await cuesOf(deps, row.slot_id),
      notes: own.map(({ at_ms, severity }) => ({ atMs: at_ms, severity })),
      said: row.notes,
    });
  }
  return videos;
}

/** Where to look first. */
export const highlights = {
  async listPlaytestHighlights(call) {
    const { deps, params, query, principal } = call;
    if (!(await call.read((q) => playtests.findForOwner(q, params.id, principal.userId)))) throw notFound();
    return { highlights: highlightsOf(await watched(deps, "playtest", params.id), lexiconOf(deps.config.highlights), query) };
  },

  async listGameHighlights(call) {
    const { deps, params, query, principal } = call;
    if (!(await call.read((q) => games.findForOwner(q, params.id, principal.userId)))) throw notFound();
    return {
      highlights: highlightsOf(await watched(deps, "game", params.id, query.build), lexiconOf(deps.config.highlights), query),
    };
  },
} satisfies Partial<Handlers>;
