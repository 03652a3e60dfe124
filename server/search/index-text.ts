import { cleaned } from "../../src/contract/signals/cleaned.ts";
import { readCues } from "../../src/contract/text/cues.ts";
import { plural } from "../../src/contract/text/plural.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { type Query, StoreUnavailable } from "../database/port.ts";
import { type Job, RetryLater, unreadableAgainMs } from "../jobs/job.ts";
import { type Line, passagesOf } from "./passage-rules.ts";
import type { Indexed } from "./queue.ts";
import * as store from "./store.ts";

/** All texts of an owner count in the same words: written at once, they would conflict until some of them gave up. */
const write = <T>(deps: Deps, fn: (tx: Tx) => Promise<T>): Promise<T> => deps.store.write(fn, { queue: "search" });

/** Indexes texts as they are now: whatever was indexed of them before goes. */
export async function indexText(job: Job, deps: Deps): Promise<void> {
  const indexed = job.payload as Indexed;
  if (indexed.what === "playtester") return indexRenamed(deps, indexed.userId);
  if ("id" in indexed) return indexOwn(deps, indexed.what, indexed.id, "first");
  const { slotId } = indexed;
  if (indexed.what !== "moment")
    return indexed.what === "slot" ? indexSlot(deps, slotId, "first") : indexTranscript(deps, slotId);
  await write(deps, async (tx) => {
    await store.remove(tx, slotId, { momentId: indexed.momentId });
    const [slot, moment] = [await store.findSlot(tx, slotId), await store.findMoment(tx, slotId, indexed.momentId)];
    if (slot && moment) await store.add(tx, deps.store.dialect, slot, momentEntries(moment), "first");
  });
}

const pageSlots = 50;
/**
 * Indexes the texts of every slot and finding, and the names, that are not indexed yet, the newest first, each in a transaction of its own. They come behind what
 * is indexed already, which is newer. When the job is interrupted, the next run goes on with the rest. A slot whose transcript cannot be read
 * right now is left for a later run, so that the others do not wait for it.
 */
export async function fillSearch(job: Job, deps: Deps): Promise<void> {
  const left = await fillSlots(job, deps);
  for (const source of store.ownSources) await fillOwn(job, deps, source);
  if (left > 0)
    throw new RetryLater(deps.clock.now() + unreadableAgainMs, `the texts of ${plural(left, "slot")} could not be indexed`);
}

/** Returns how many slots are left for a later run. */
async function fillSlots(job: Job, deps: Deps): Promise<number> {
  let left = 0;
  const leave = (slotId: string) => (error: unknown) => {
    if (error instanceof StoreUnavailable) throw error;
    deps.log.warn({ err: error, slot: slotId }, "the texts of a slot could not be indexed; it is tried again in an hour");
    left += 1;
  };
  for (let before: string | undefined; ; ) {
    const slots = await deps.store.read((q) => store.listUnindexed(q, before, pageSlots));
    for (const { slot_id } of slots) {
      if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped");
      if (!job.isHeld()) return left;
      await indexSlot(deps, slot_id, "last").catch(leave(slot_id));
    }
    if (slots.length < pageSlots) return left;
    before = slots.at(-1)!.id;
  }
}

/** The same for findings, games and playtests. */
async function fillOwn(job: Job, deps: Deps, source: store.OwnSource): Promise<void> {
  for (;;) {
    const rows = await deps.store.read((q) => store.listUnindexedOwn(q, source, pageSlots));
    for (const { id } of rows) {
      if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped");
      if (!job.isHeld()) return;
      await indexOwn(deps, source, id, "last");
    }
    if (rows.length < pageSlots) return;
  }
}

/** Indexes a finding, or the name of a game or playtest, under its own id. A finding that was merged, or what is gone, is not found. */
const indexOwn = (deps: Deps, source: store.OwnSource, id: string, where: "first" | "last") =>
  write(deps, async (tx) => {
    if (where === "last" && (await store.isIndexed(tx, id))) return;
    await store.remove(tx, id, {});
    const row = await store.findOwn(tx, source, id);
    if (!row) return;
    await store.add(tx, deps.store.dialect, row, entriesOf(source, id, linesOf(row.text, null)), where);
    store.markIndexed(tx, id);
  });

/** Indexes the name of a playtester as it is now, wherever it was indexed. */
async function indexRenamed(deps: Deps, userId: string): Promise<void> {
  for (const { slot_id } of await deps.store.read((q) => store.slotsOfName(q, userId)))
    await write(deps, async (tx) => {
      const slot = await store.findSlot(tx, slot_id);
      if (slot) await indexName(tx, deps, slot, "first");
    });
}

/** Indexes the name of a slot's playtester, once for each game: under the slot of their newest video. `last`: unless there is one already. */
async function indexName(tx: Query, deps: Deps, slot: store.SlotKeys, where: "first" | "last"): Promise<void> {
  const playtester = await store.findPlaytester(tx, slot.slot_id);
  if (!playtester) return;
  const { id, name } = playtester;
  if (where === "last" && (await store.slotsOfName(tx, id, slot.game_id)).length > 0) return;
  await store.removeName(tx, id, slot.game_id);
  await store.add(tx, deps.store.dialect, slot, entriesOf("playtester", id, linesOf(name, null)), where);
}

/** `last`: only if it was not indexed yet. */
const indexSlot = (deps: Deps, slotId: string, where: "first" | "last") =>
  withTranscript(deps, slotId, async (tx, slot, spoken) => {
    if (where === "last" && (await store.isIndexed(tx, slotId))) return;
    await store.remove(tx, slotId, {});
    const moments = (await store.momentsOf(tx, slotId)).flatMap(momentEntries);
    const entries = [...spoken, ...entriesOf("notes", slotId, linesOf(slot.notes, null)), ...moments];
    await store.add(tx, deps.store.dialect, slot, entries, where);
    await indexName(tx, deps, slot, where);
    store.markIndexed(tx, slotId);
  });

const indexTranscript = (deps: Deps, slotId: string) =>
  withTranscript(deps, slotId, async (tx, slot, spoken) => {
    await store.remove(tx, slotId, { sources: ["transcript", "takeaway"] });
    await store.add(tx, deps.store.dialect, slot, spoken, "first");
  });

/**
 * Runs `use` in a transaction with what is said in the video of a slot. The file is read before; when another version was chosen
 * meanwhile, it starts again. Does nothing when the slot cannot be searched.
 */
async function withTranscript(
  deps: Deps,
  slotId: string,
  use: (tx: Query, slot: store.SlotKeys & { notes: string }, spoken: store.Entry[]) => Promise<void>,
): Promise<void> {
  for (let isCurrent = false; !isCurrent; ) {
    const row = await deps.store.read((q) => store.findTranscript(q, slotId));
    const spoken = row ? await transcriptEntries(deps, slotId, row) : [];
    isCurrent = await write(deps, async (tx) => {
      const slot = await store.findSlot(tx, slotId);
      const now = await store.findTranscript(tx, slotId);
      if (now?.key !== row?.key || now?.key_takeaways !== row?.key_takeaways || now?.loudness !== row?.loudness) return false;
      if (slot) await use(tx, slot, spoken);
      return true;
    });
  }
}

async function transcriptEntries(
  deps: Deps,
  slotId: string,
  { key, key_takeaways, loudness }: store.TranscriptRow,
): Promise<store.Entry[]> {
  const vtt = key === null ? "" : ((await deps.blobs.text(key)) ?? "");
  const { kept } = cleaned(readCues(vtt.replaceAll("\0", "")), loudness === null ? null : (JSON.parse(loudness) as number[]));
  const cues = kept.map(({ startMs, text }) => ({ atMs: startMs, text }));
  const takeaways = JSON.parse(key_takeaways) as string[];
  return [
    ...entriesOf("transcript", slotId, cues),
    ...takeaways.flatMap((takeaway) => entriesOf("takeaway", slotId, linesOf(takeaway, null))),
  ];
}

const entriesOf = (source: store.Entry["source"], sourceId: string, lines: Line[]): store.Entry[] =>
  passagesOf(lines).map((passage) => ({ source, sourceId, passage }));

const momentEntries = ({ id, at_ms, body }: store.MomentRow) => entriesOf("moment", id, linesOf(body, at_ms));

const linesOf = (text: string, atMs: number | null): Line[] => text.split(/\r\n?|\n/).map((line) => ({ atMs, text: line }));
