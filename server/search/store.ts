import { namedSources, type SearchSource } from "../../src/contract/search/sources.ts";
import type { Dialect, Query, Value } from "../database/port.ts";
import { sendRows } from "../database/rows.ts";
import type { Tables } from "../database/schema/index.ts";
import { indexedWords, type Passage, type Spelled } from "./passage-rules.ts";
import type { Forms } from "./rules.ts";
import * as vocabulary from "./vocabulary-store.ts";

/** The slot whose texts are indexed. For a finding, `slot_id` is its own id and `playtest_id` is empty: it belongs to a game. */
export type SlotKeys = Pick<Tables["search_passages"], "slot_id" | "playtest_id" | "game_id" | "owner_id">;

/** A passage of a text. `sourceId` is the id of a moment, finding, game, playtest or playtester for those, else the slot's. */
export interface Entry {
  source: SearchSource;
  sourceId: string;
  passage: Passage;
}

/** Which texts of a slot: all of them, all from some sources, or one moment. */
export interface Which {
  sources?: readonly SearchSource[];
  momentId?: string;
}

/** The slot, unless it has no video or its owner's account is deleted. */
export const findSlot = (q: Query, slotId: string) =>
  q.one<SlotKeys & { notes: string }>(
    `SELECT s.id AS slot_id, s.playtest_id, s.game_id, s.owner_id, v.notes FROM slots s JOIN submissions v ON v.slot_id = s.id
      JOIN users u ON u.id = s.owner_id WHERE s.id = ? AND u.deleted_at IS NULL`,
    slotId,
  );

/** What is indexed under its own id, not under that of a slot: a finding, or the name of a game or of an order. */
export type OwnSource = "finding" | "game" | "playtest";

/** Where each is, what of it is searched, and its playtest. One of a deleted owner is not searched. */
const own: Record<OwnSource, { text: string; playtest: string; from: string }> = {
  finding: {
    text: "o.title || '\n' || o.body",
    playtest: "''",
    from: "FROM findings o JOIN users u ON u.id = o.owner_id WHERE o.merged_into IS NULL AND u.deleted_at IS NULL",
  },
  game: { text: "o.name", playtest: "''", from: "FROM games o JOIN users u ON u.id = o.owner_id WHERE u.deleted_at IS NULL" },
  playtest: {
    text: "o.ref",
    playtest: "o.id",
    from: "FROM playtests o JOIN users u ON u.id = o.owner_id WHERE o.ref IS NOT NULL AND u.deleted_at IS NULL",
  },
};
export const ownSources = Object.keys(own) as OwnSource[];

export const findOwn = (q: Query, source: OwnSource, id: string) => {
  const { text, playtest, from } = own[source];
  const game = source === "game" ? "o.id" : "o.game_id";
  return q.one<SlotKeys & { text: string }>(
    `SELECT o.id AS slot_id, ${playtest} AS playtest_id, ${game} AS game_id, o.owner_id, ${text} AS text ${from} AND o.id = ?`,
    id,
  );
};

/** The playtester of a slot, unless their account is deleted. */
export const findPlaytester = (q: Query, slotId: string) =>
  q.one<{ id: string; name: string }>(
    `SELECT u.id, u.display_name AS name FROM slots s JOIN users u ON u.id = s.playtester_id WHERE s.id = ? AND u.deleted_at IS NULL`,
    slotId,
  );

/** The slots under which the name of a playtester is indexed: one of each game, whose keys may limit them. */
export const slotsOfName = (q: Query, playtesterId: string, gameId?: string) =>
  q.all<{ slot_id: string }>(
    `SELECT slot_id FROM search_passages WHERE source = 'playtester' AND source_id = ? ${gameId === undefined ? "" : "AND game_id = ?"}`,
    playtesterId,
    ...(gameId === undefined ? [] : [gameId]),
  );

export interface TranscriptRow {
  /** The blob of the version that the owner chose. */
  key: string | null;
  /** A JSON array of strings. */
  key_takeaways: string;
  /** What was measured of the video: a JSON array; null where nothing was. */
  loudness: string | null;
}

/** The transcript that the owner of a slot sees. */
export const findTranscript = (q: Query, slotId: string) =>
  q.one<TranscriptRow>(
    `SELECT CASE t.selected_version WHEN 'edited' THEN t.edited_key ELSE t.original_key END AS key, t.key_takeaways, g.loudness
      FROM transcriptions t LEFT JOIN submissions b ON b.slot_id = t.slot_id
      LEFT JOIN video_signals g ON g.slot_id = t.slot_id AND g.blob_key = b.blob_key AND g.status = 'ready'
      WHERE t.slot_id = ? AND t.status = 'approved' AND t.selected_version IS NOT NULL`,
    slotId,
  );

export type MomentRow = Pick<Tables["moments"], "id" | "at_ms" | "body">;

export const momentsOf = (q: Query, slotId: string) =>
  q.all<MomentRow>("SELECT id, at_ms, body FROM moments WHERE slot_id = ? ORDER BY at_ms, id", slotId);
export const findMoment = (q: Query, slotId: string, id: string) =>
  q.one<MomentRow>("SELECT id, at_ms, body FROM moments WHERE slot_id = ? AND id = ?", slotId, id);

const removeWhere = (tx: Query, condition: string, ...values: Value[]) => {
  tx.send(`DELETE FROM search_words WHERE rowid IN (SELECT seq FROM search_passages WHERE ${condition})`, ...values);
  tx.send(`DELETE FROM search_passages WHERE ${condition}`, ...values);
};

/** Removes texts of a slot from the index, and from the owner's words those that no other text has. */
export async function remove(tx: Query, slotId: string, { sources = [], momentId }: Which): Promise<void> {
  const among = sources.length > 0 ? `AND source IN (${sources.map(() => "?").join(", ")})` : "";
  const moment = momentId === undefined ? "" : "AND source = 'moment' AND source_id = ?";
  const condition = `slot_id = ? ${among} ${moment}`;
  const values = [slotId, ...sources, ...(momentId === undefined ? [] : [momentId])];
  type Removed = Pick<Tables["search_passages"], "owner_id" | "passage">;
  const removed = await tx.all<Removed>(`SELECT owner_id, passage FROM search_passages WHERE ${condition}`, ...values);
  if (removed.length === 0) return;
  const words = removed.flatMap(({ passage }) => indexedWords(JSON.parse(passage) as Passage));
  vocabulary.count(tx, removed[0]!.owner_id, words, -1);
  removeWhere(tx, condition, ...values);
}

/** Removes the name of a playtester from the index of all owners. */
export async function removeName(tx: Query, playtesterId: string, gameId?: string): Promise<void> {
  for (const { slot_id } of await slotsOfName(tx, playtesterId, gameId)) await remove(tx, slot_id, { sources: ["playtester"] });
}

/** Removes everything of an owner from the index. */
export function removeOwner(tx: Query, ownerId: string): void {
  removeWhere(tx, "owner_id = ?", ownerId);
  vocabulary.removeOwner(tx, ownerId);
}

/** Removes everything from the index. */
export function clear(tx: Query): void {
  for (const table of ["search_words", "search_passages", "search_vocabulary", "search_slots"]) tx.send(`DELETE FROM ${table}`);
}

const isName = (source: SearchSource) => namedSources.some((one) => one === source);

/** Names have lower numbers than texts, so that they are found first. */
const firstText = 2 ** 49;
/** The first `seq` in an empty index: there is room for more on both sides. */
const middle = { names: 2 ** 48, texts: 2 ** 50 };

/** The first `seq` of so many new passages, before all others or behind them. */
async function place(tx: Query, what: "names" | "texts", where: "first" | "last", count: number): Promise<number> {
  const among = `FROM search_passages WHERE seq ${what === "names" ? "<" : ">="} ${firstText}`;
  const { low, high } = (await tx.one<{ low: number | null; high: number | null }>(
    `SELECT (SELECT MIN(seq) ${among}) AS low, (SELECT MAX(seq) ${among}) AS high`,
  ))!;
  return where === "first" ? (low ?? middle[what]) - count : (high ?? middle[what]) + 1;
}

const tag = (name: string, value: string) => `${name}=${value}`;

/** How many rows one statement inserts. */
const chunk = 20;

/** By which names are found without looking at texts. */
const nameTag = tag("in", "names");

/** Adds passages of a slot in their order, either texts or names: the newest is the first in the results. */
export async function add(
  tx: Query,
  { fullText }: Dialect,
  slot: SlotKeys,
  entries: readonly Entry[],
  where: "first" | "last",
): Promise<void> {
  if (entries.length === 0) return;
  const { slot_id, playtest_id, game_id, owner_id } = slot;
  const areNames = isName(entries[0]!.source);
  const first = await place(tx, areNames ? "names" : "texts", where, entries.length);
  const counted: Spelled[] = [];
  for (let from = 0; from < entries.length; from += chunk) {
    const some = entries
      .slice(from, from + chunk)
      .map((entry, index) => ({ ...entry, seq: first + from + index, words: indexedWords(entry.passage) }));
    const passages = some.map(({ seq, source, sourceId, passage, words }) => ({
      seq,
      source,
      source_id: sourceId,
      slot_id,
      playtest_id,
      game_id,
      owner_id,
      passage: JSON.stringify(passage),
      word_count: words.length,
    }));
    sendRows(tx, "search_passages", passages);
    const documents = some.map(({ seq, source, words }) => ({
      rowid: seq,
      words: fullText.document(
        [
          ...[tag("owner", owner_id), tag("game", game_id), tag("playtest", playtest_id), tag("source", source)],
          ...(areNames ? [nameTag] : []),
        ],
        words.map(({ word }) => word),
      ),
    }));
    sendRows(tx, "search_words", documents);
    counted.push(...some.flatMap(({ words }) => words));
  }
  vocabulary.count(tx, owner_id, counted, 1);
}

export interface Filter {
  game?: string | undefined;
  playtest?: string | undefined;
  kind?: SearchSource | undefined;
}

export type FoundRow = Tables["search_passages"] &
  Pick<Tables["slots"], "playtester_id"> & { game_name: string; display_name: string | null };

/** The passages of an owner with all these phrases whose `seq` is behind `after`, in their order: names, then texts. */
export async function find(
  q: Query,
  { fullText }: Dialect,
  ownerId: string,
  phrases: readonly (readonly Forms[])[],
  { game, playtest, kind }: Filter,
  { after, limit }: { after: number; limit: number },
): Promise<FoundRow[]> {
  const tags = Object.entries({ owner: ownerId, game, playtest, source: kind }).flatMap(([name, value]) =>
    value === undefined ? [] : [tag(name, value)],
  );
  const matching = (more: string[], from: number, most: number) =>
    rowsOf(q, ownerId, fullText.first(fullText.query([...tags, ...more], phrases), from, most));
  const asksNames = after < firstText && (kind === undefined || isName(kind));
  const names = asksNames ? await matching([nameTag], after, limit) : [];
  if (names.length === limit || (kind !== undefined && isName(kind))) return names;
  return [...names, ...(await matching([], Math.max(after, firstText - 1), limit - names.length))];
}

// SQLite takes the sides of CROSS JOIN in their order. Left to choose, it reads every passage of the owner.
const rowsOf = (q: Query, ownerId: string, first: { sql: string; values: (string | number)[] }) =>
  q.all<FoundRow>(
    `SELECT p.*, g.name AS game_name, s.playtester_id, u.display_name FROM (${first.sql}) f CROSS JOIN search_passages p
      JOIN games g ON g.id = p.game_id LEFT JOIN slots s ON s.id = p.slot_id LEFT JOIN users u ON u.id = s.playtester_id
      WHERE p.seq = f.rowid AND p.owner_id = ? ORDER BY p.seq`,
    ...first.values,
    ownerId,
  );

/** Marks a slot, finding, game or playtest as one whose texts are indexed. */
export const markIndexed = (tx: Query, slotId: string) =>
  tx.send("INSERT INTO search_slots (slot_id) VALUES (?) ON CONFLICT (slot_id) DO NOTHING", slotId);

export const isIndexed = async (q: Query, slotId: string) =>
  (await q.one("SELECT 1 AS yes FROM search_slots WHERE slot_id = ?", slotId)) !== undefined;

const unindexed = `FROM submissions v JOIN slots s ON s.id = v.slot_id JOIN users u ON u.id = s.owner_id
  WHERE u.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM search_slots x WHERE x.slot_id = v.slot_id)`;

/** Slots whose texts are not indexed, the newest video first: those whose submission's id sorts before `before`, if it is given. */
export const listUnindexed = (q: Query, before: string | undefined, limit: number) =>
  q.all<{ id: string; slot_id: string }>(
    `SELECT v.id, v.slot_id ${unindexed} ${before === undefined ? "" : "AND v.id < ?"} ORDER BY v.id DESC LIMIT CAST(? AS INTEGER)`,
    ...(before === undefined ? [] : [before]),
    limit,
  );

const isMissing = "NOT EXISTS (SELECT 1 FROM search_slots x WHERE x.slot_id = o.id)";

/** Findings, games or playtests that are not indexed, the newest first. */
export const listUnindexedOwn = (q: Query, source: OwnSource, limit: number) =>
  q.all<{ id: string }>(`SELECT o.id ${own[source].from} AND ${isMissing} ORDER BY o.id DESC LIMIT CAST(? AS INTEGER)`, limit);

/** How many slots, findings, games and playtests are not indexed. */
export const countUnindexed = async (q: Query) => {
  const counts = [unindexed, ...ownSources.map((source) => `${own[source].from} AND ${isMissing}`)];
  return (await q.one<{ n: number }>(`SELECT ${counts.map((from) => `(SELECT COUNT(*) ${from})`).join(" + ")} AS n`))!.n;
};

/** How many passages lack their words, or the other way around. */
export const countBroken = async (q: Query) =>
  (await q.one<{ n: number }>(
    `SELECT (SELECT COUNT(*) FROM search_passages p WHERE NOT EXISTS (SELECT 1 FROM search_words w WHERE w.rowid = p.seq))
      + (SELECT COUNT(*) FROM search_words w WHERE NOT EXISTS (SELECT 1 FROM search_passages p WHERE p.seq = w.rowid)) AS n`,
  ))!.n;

/** How many owners have words that are not those of their passages, by their number. */
export const countMiscounted = async (q: Query) =>
  (await q.one<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT owner_id FROM (
      SELECT owner_id, word_count AS words FROM search_passages UNION ALL SELECT owner_id, -uses AS words FROM search_vocabulary) both_sides
      GROUP BY owner_id HAVING SUM(words) <> 0) miscounted`,
  ))!.n;
