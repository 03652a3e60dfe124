import type { Handlers } from "../http/call.ts";
import { invalid } from "../lib/api-error.ts";
import { findIn, type Passage } from "./passage-rules.ts";
import { type Forms, maxWords, type Sought, soughtIn } from "./rules.ts";
import * as store from "./store.ts";
import { expand } from "./vocabulary-store.ts";

/** A passage in which everything was found, and where. */
interface Hit {
  row: store.FoundRow;
  found: NonNullable<ReturnType<typeof findIn>>;
}

export const search = {
  async search(call) {
    const { q: text, ...filter } = call.query;
    const sought = readable(text);
    const phrases = await call.read((q) => expand(q, call.principal.userId, sought));
    const page = call.page();
    const hits: Hit[] = [];
    const limit = page.limit + 1;
    for (let after = page.after?.at ?? 0; ; ) {
      const rows = await call.read((q) =>
        store.find(q, call.deps.store.dialect, call.principal.userId, phrases, filter, { after, limit }),
      );
      hits.push(...rows.flatMap((row) => hitsIn(row, phrases)));
      if (rows.length < limit || hits.length >= limit) break;
      after = rows.at(-1)!.seq;
    }
    const listed = hits.slice(0, limit).map((hit) => ({ id: hit.row.slot_id, created_at: hit.row.seq, hit }));
    return call.listed(page, listed, (items) => ({ results: items.map(({ hit }) => resultView(hit)) }));
  },
} satisfies Partial<Handlers>;

function readable(text: string): Sought[] {
  const sought = soughtIn(text);
  if (sought.length === 0) throw invalid("q", "must contain a word");
  if (sought.flatMap(({ phrase }) => phrase).length > maxWords) throw invalid("q", `must have at most ${maxWords} words`);
  return sought;
}

function hitsIn(row: store.FoundRow, phrases: readonly (readonly Forms[])[]): Hit[] {
  const found = findIn(JSON.parse(row.passage) as Passage, phrases);
  return found ? [{ row, found }] : [];
}

const resultView = ({ row, found }: Hit) => ({
  source: row.source,
  slotId: store.ownSources.some((own) => own === row.source) ? null : row.slot_id,
  playtestId: row.playtest_id === "" ? null : row.playtest_id,
  momentId: row.source === "moment" ? row.source_id : null,
  findingId: row.source === "finding" ? row.source_id : null,
  game: { id: row.game_id, name: row.game_name },
  playtester: row.playtester_id === null ? null : { id: row.playtester_id, displayName: row.display_name ?? "" },
  ...found,
});
