import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { openStore } from "../../server/database/open.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { findIn, type Passage, passagesOf } from "../../server/search/passage-rules.ts";
import { soughtIn } from "../../server/search/rules.ts";
import { add, find } from "../../server/search/store.ts";
import { expand } from "../../server/search/vocabulary-store.ts";
import { insertPlaytest, insertRows } from "../helpers/raw-rows.ts";
import { startPostgres } from "../setup/postgres.ts";
import { type Figure, inTurn } from "./measure.ts";

const [small, large] = [1_000, 100_000];
/** Of ten transcripts, nine belong to the first owner; each of the others has a hundred. */
const ownerOf = (transcript: number) => (transcript % 10 < 9 ? 0 : 1 + Math.floor(transcript / 1_000));
const linesOfOne = 6;
const wordsOfLine = 10;
const searches = 300;
const goal = 2;

/** Repeatable chance: a number from 0 up to 1. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A word by its rank: few words are said often and many seldom, as in speech (a distribution like Zipf's over 20,000 words). */
const rankFrom = (chance: () => number) => Math.floor(20_000 ** chance()) - 1;
const word = (rank: number) => `w${rank.toString(36)}`;

const transcript = (chance: () => number) =>
  Array.from({ length: linesOfOne }, (_, line) => ({
    atMs: line * 4_000,
    text: Array.from({ length: wordsOfLine }, () => word(rankFrom(chance))).join(" "),
  }));

/** Frequent, less frequent and rare words, two of them near each other, two in this order, and what nobody said. */
function searchText(number: number, chance: () => number): string {
  const [often, sometimes, seldom] = [10, 300, 5_000].map((most) => word(Math.floor(chance() * most)));
  const said = transcript(chance)[0]!.text.split(" ");
  const kinds = [often, sometimes, seldom, `${often} ${sometimes}`, `${sometimes} ${seldom}`, `"${said[0]} ${said[1]}"`, "never"];
  return kinds[number % kinds.length]!;
}

const id = (kind: string, number: number) => `${kind}-${String(number).padStart(6, "0")}`;

const addOwner = (tx: Query, number: number) =>
  insertPlaytest(tx, id("owner", number), id("game", number), id("playtest", number));

/** Few for each transaction: texts repeat the same words, and PostgreSQL keeps each version of a row until the transaction ends. */
const together = 20;

async function fill(store: Store, count: number): Promise<void> {
  const chance = chanceFrom(7);
  await store.write(async (tx) => {
    for (let owner = 0; owner <= ownerOf(count - 1); owner++) await addOwner(tx, owner);
  });
  for (let from = 0; from < count; from += together) {
    const texts = Array.from({ length: together }, () => passagesOf(transcript(chance)));
    await store.write(async (tx) => {
      const slots = texts.map((_, index) => {
        const number = ownerOf(from + index);
        const keys = { playtest_id: id("playtest", number), game_id: id("game", number), owner_id: id("owner", number) };
        return { id: id("slot", from + index), ...keys, status: "accepted", created_at: 1 };
      });
      await insertRows(tx, "slots", slots);
      for (const [index, { id: slot_id, ...keys }] of slots.entries()) {
        const entries = texts[index]!.map((passage) => ({ source: "transcript" as const, sourceId: slot_id, passage }));
        await add(tx, store.dialect, { slot_id, ...keys }, entries, "first");
      }
    });
  }
}

/** Each search counts with its best time: what else the machine does at the moment is no part of it. */
const repeats = 5;

/** The time in ms that 95 of 100 searches of an owner stay below: the query, and finding the places in its passages. */
async function measure(store: Store, owner: number): Promise<number> {
  const chance = chanceFrom(11);
  const spent: number[] = [];
  for (let number = 0; number < searches; number++) {
    const sought = soughtIn(searchText(number, chance));
    const times: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      // The store remembers the results of the same query until something of the table changes.
      await store.write((tx) => tx.run("UPDATE search_vocabulary SET uses = uses WHERE owner_id = ''"));
      const start = performance.now();
      const page = { after: 0, limit: 21 + repeat };
      const phrases = await store.read((q) => expand(q, id("owner", owner), sought));
      const rows = await store.read((q) => find(q, store.dialect, id("owner", owner), phrases, {}, page));
      for (const { passage } of rows) findIn(JSON.parse(passage) as Passage, phrases);
      times.push(performance.now() - start);
    }
    spent.push(Math.min(...times));
  }
  return spent.sort((a, b) => a - b)[Math.floor(searches * 0.95)]!;
}

interface Database {
  name: string;
  /** An empty database; `settle` does what the database does by itself after a while. */
  open(): Promise<{ store: Store; settle(): Promise<unknown>; remove(): Promise<unknown> }>;
}

const owners = [
  { what: "an owner with 100 transcripts", owner: 1 },
  { what: "an owner with nine of ten", owner: 0 },
];

const rounds = 3;

/** The 95th percentile among few transcripts and among many for each of the owners, in ms, measured in turn. */
async function p95(database: Database): Promise<{ few: number; many: number }[]> {
  const opened = [];
  try {
    for (const count of [small, large]) {
      const one = await database.open();
      opened.push(one);
      await fill(one.store, count);
      await one.settle();
    }
    const [few, many] = opened.map(({ store }) => store) as [Store, Store];
    const figures: { few: number; many: number }[] = [];
    for (const { owner } of owners) {
      const times = await inTurn(
        [
          { name: "few", run: () => measure(few, owner) },
          { name: "many", run: () => measure(many, owner) },
        ],
        rounds,
      );
      figures.push({ few: times.get("few")!, many: times.get("many")! });
    }
    return figures;
  } finally {
    for (const { store, remove } of opened) {
      await store.close();
      await remove();
    }
  }
}

const inFile: Database = {
  name: "SQLite",
  async open() {
    const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
    const remove = async () => rmSync(dataDir, { recursive: true });
    return { store: await openStore({ dataDir }), settle: async () => {}, remove };
  },
};

const onServer: Database = {
  name: "PostgreSQL",
  async open() {
    const { url, stop } = await startPostgres();
    const settle = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      // What autovacuum does within minutes.
      await client.query("VACUUM (ANALYZE)");
      await client.end();
    };
    return { store: await openStore({ databaseUrl: url, patient: true }), settle, remove: stop };
  },
};

/** `search`: the same searches in 1,000 and in 100,000 transcripts, by an owner who has few of them and by one who has most. */
export async function search(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of [inFile, onServer]) {
    for (const [index, { few, many }] of (await p95(database)).entries()) {
      const ratio = many / few;
      figures.push({
        name: "search",
        what: `${database.name}, ${owners[index]!.what}: p95 among ${large} transcripts against ${small}`,
        ratio,
        goal: `≤ ${goal}×`,
        met: ratio <= goal,
        raw: `${many.toFixed(2)} / ${few.toFixed(2)} ms`,
      });
    }
  }
  return figures;
}
