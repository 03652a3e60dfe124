import { afterEach, describe, expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { findIn, type Line, type Passage, passagesOf } from "../../server/search/passage-rules.ts";
import { asWritten, phrasesOf, wordsOf } from "../../server/search/rules.ts";
import * as search from "../../server/search/store.ts";
import { insertPlaytest, insertRow } from "../helpers/raw-rows.ts";
import { startTestServer } from "../helpers/server.ts";
import { drivers, openBefore, type TestStore } from "../helpers/store.ts";

const times = { created_at: 1, updated_at: 1 };
const keys = { slot_id: "slot", playtest_id: "playtest", game_id: "game", owner_id: "owner" };

async function addSlots(tx: Query, slots: readonly string[]): Promise<void> {
  await insertPlaytest(tx, "owner", "game", "playtest");
  const of = { playtest_id: "playtest", game_id: "game", owner_id: "owner", status: "accepted", created_at: 1 };
  for (const id of slots) await insertRow(tx, "slots", { id, ...of });
}

/** A repeatable sequence of whole numbers below `most`. */
function chanceFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const vocabulary =
  "the door can't Tür tur 鍵 low-poly a b c' '' \" * : AND OR NOT ( ) & | ! <-> \\ % _ ½ e\u0301 \u{1f600} owner=owner".split(
    " ",
  );

describe("both databases", () => {
  const stores: TestStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.remove();
  });

  it("find the same in random texts, and what a plain comparison of words finds", async () => {
    const chance = chanceFrom(Number(process.env.PLAYTEST_SEED ?? 5));
    const text = (words: number) => Array.from({ length: words }, () => vocabulary[chance(vocabulary.length)]).join(" ");
    const passages = Array.from({ length: 30 }, () =>
      passagesOf(Array.from({ length: 1 + chance(8) }, (_, line): Line => ({ atMs: line, text: text(1 + chance(30)) }))),
    ).flat();
    const searches = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `"${text(1 + chance(3))}"` : text(1 + chance(3))));
    for (const driver of drivers) {
      const store = await driver.open();
      stores.push(store);
      await store.write(async (tx) => {
        await addSlots(tx, ["slot"]);
        const entries = passages.map((passage) => ({ source: "transcript" as const, sourceId: "slot", passage }));
        await search.add(tx, store.dialect, keys, entries, "first");
      });
    }
    const contains = ({ lines, from }: Passage, phrase: readonly string[]) => {
      const words = lines.slice(from).flatMap((line) => wordsOf(line.text).map(({ word }) => word));
      return ` ${words.join(" ")} `.includes(` ${phrase.join(" ")} `);
    };
    let found = 0;
    for (const asked of searches) {
      const phrases = phrasesOf(asked);
      if (phrases.length === 0) continue;
      const expected = passages.filter((passage) => phrases.every((phrase) => contains(passage, phrase)));
      found += expected.length;
      for (const store of stores) {
        const rows = await everything(store, asked);
        expect(
          rows.map(({ passage }) => JSON.parse(passage)),
          `${asked} (${store.dialect.variant})`,
        ).toEqual(expected);
      }
    }
    expect(found).toBeGreaterThan(100);
  });
});

const everything = (store: Store, asked: string) =>
  store.read((q) => search.find(q, store.dialect, "owner", phrasesOf(asked).map(asWritten), {}, { after: 0, limit: 1000 }));

describe.each(drivers)("the index of the search ($name)", (driver) => {
  let store: TestStore;
  afterEach(() => store.remove());

  it("is filled with what was there before the migration, the newest first, and only once", async () => {
    store = await openBefore(driver, "023-search");
    const slots = Array.from({ length: 60 }, (_, i) => `slot-${String(i).padStart(2, "0")}`);
    await store.write(async (tx) => {
      await addSlots(tx, slots);
      for (const slot_id of slots) {
        const video = {
          blob_key: "videos/x",
          filename: "video.mp4",
          content_type: "video/mp4",
          video_file_size: 1,
          created_at: 1,
        };
        await insertRow(tx, "submissions", { id: `video-${slot_id}`, slot_id, notes: `The door of ${slot_id}.`, ...video });
      }
      const about = { playtest_id: "playtest", game_id: "game", owner_id: "owner", author_id: "owner", kind: "note", tags: "[]" };
      await insertRow(tx, "moments", { id: "moment", slot_id: "slot-07", at_ms: 9, body: "A closed door", ...about, ...times });
    });
    await migrate(store);
    expect(await store.read(search.countUnindexed)).toBe(61);
    for (const _ of [1, 2]) {
      const server = await startTestServer({ store: keptOpen(store) });
      await server.advance(0);
      await server.close();
      const found = (await everything(store, "door")).map(({ source, slot_id }) => `${source} ${slot_id}`);
      const notes = [...slots].reverse().map((id) => `notes ${id}`);
      notes.splice(notes.indexOf("notes slot-07") + 1, 0, "moment slot-07");
      expect(found).toEqual(notes);
      expect(await store.read(search.countUnindexed)).toBe(0);
    }
  });

  it("loses what is removed, and shows what is incomplete", async () => {
    store = await driver.open();
    const entry = (text: string, sourceId = "slot", source: search.Entry["source"] = "notes") =>
      passagesOf([{ atMs: null, text }]).map((passage) => ({ source, sourceId, passage }));
    await store.write(async (tx) => {
      await addSlots(tx, ["slot"]);
      const entries = [...entry("a door"), ...entry("door one", "m1", "moment"), ...entry("door two", "m2", "moment")];
      await search.add(tx, store.dialect, keys, entries, "first");
      await search.remove(tx, "slot", { momentId: "m1" });
    });
    const texts = async () =>
      (await everything(store, "door")).map(({ passage }) => findIn(JSON.parse(passage), [[["door"]]])!.lines[0]!.text);
    expect(await texts()).toEqual(["a door", "door two"]);
    await store.write(async (tx) => search.remove(tx, "slot", { sources: ["notes"] }));
    expect([await texts(), await store.read(search.countBroken)]).toEqual([["door two"], 0]);
    await store.write((tx) => tx.run("DELETE FROM search_words"));
    expect([await texts(), await store.read(search.countBroken)]).toEqual([[], 1]);
    await store.write(async (tx) => search.clear(tx));
    expect(await store.read(search.countBroken)).toBe(0);
  });
});

/** The store for a server that ends before the test does. */
const keptOpen = (store: TestStore): Store => ({
  dialect: store.dialect,
  shared: store.shared,
  read: (fn) => store.read(fn),
  write: (fn, options) => store.write(fn, options),
  check: (options) => store.check(options),
  close: async () => {},
});
