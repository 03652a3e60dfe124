import { setImmediate } from "node:timers/promises";
import { readCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import * as playtests from "../../playtests/store.ts";
import * as search from "../../search/store.ts";
import { signalsOf } from "../signals/store.ts";
import { bestOf, chosenOf, entriesOf, type Highlight, lexiconOf } from "./rules.ts";
import * as store from "./store.ts";

async function cuesOf(deps: Deps, slotId: string) {
  const transcript = await deps.store.read((q) => search.findTranscript(q, slotId));
  const vtt = transcript?.key == null ? undefined : await deps.blobs.text(transcript.key);
  return vtt === undefined ? [] : readCues(vtt, "hidden");
}

interface Wanted {
  build?: string | undefined;
  minutes: number;
  perVideo: number;
}

/** Looks at one video after another: other requests are answered between them. */
async function highlightsOf(deps: Deps, of: "playtest" | "game", id: string, { build, minutes, perVideo }: Wanted) {
  const [rows, notes] = await deps.store.read((q) => Promise.all([store.videosOf(q, of, id, build), store.notesOf(q, of, id)]));
  const entries = entriesOf(lexiconOf(deps.config.highlights));
  const parts: Highlight[] = [];
  for (const row of rows) {
    const own = notes.filter(({ slot_id }) => slot_id === row.slot_id);
    const video = {
      slotId: row.slot_id,
      lengthMs: row.length_ms,
      signals: row.loudness === null && row.motion === null ? null : signalsOf(row),
      cues: await cuesOf(deps, row.slot_id),
      notes: own.map(({ at_ms, severity }) => ({ atMs: at_ms, severity })),
      said: row.notes,
    };
    parts.push(...bestOf(video, entries, perVideo));
    await setImmediate();
  }
  return chosenOf(parts, minutes);
}

/** Where to look first. */
export const highlights = {
  async listPlaytestHighlights(call) {
    const { deps, params, query, principal } = call;
    if (!(await call.read((q) => playtests.findForOwner(q, params.id, principal.userId)))) throw notFound();
    return { highlights: await highlightsOf(deps, "playtest", params.id, query) };
  },

  async listGameHighlights(call) {
    const { deps, params, query, principal } = call;
    if (!(await call.read((q) => games.findForOwner(q, params.id, principal.userId)))) throw notFound();
    return { highlights: await highlightsOf(deps, "game", params.id, query) };
  },
} satisfies Partial<Handlers>;
