import { readCues } from "../../src/contract/text/cues.ts";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { type Line, passagesOf } from "./passage-rules.ts";
import type { Indexed } from "./queue.ts";
import * as store from "./store.ts";

/** Indexes texts as they are now: whatever was indexed of them before goes. */
export async function indexText(job: Job, deps: Deps): Promise<void> {
  const indexed = job.payload as Indexed;
  if (indexed.what === "finding") return indexFinding(deps, indexed.findingId, "first");
  const { slotId } = indexed;
  if (indexed.what !== "moment")
    return indexed.what === "slot" ? indexSlot(deps, slotId, "first") : indexTranscript(deps, slotId);
  await deps.store.write(async (tx) => {
    await store.remove(tx, slotId, { momentId: indexed.momentId });
    const [slot, moment] = [await store.findSlot(tx, slotId), await store.findMoment(tx, slotId, indexed.momentId)];
    if (slot && moment) await store.add(tx, deps.store.dialect, slot, momentEntries(moment), "first");
  });
}

const pageSlots = 50;

/**
 * Indexes the texts of every slot and finding that are not indexed yet, the newest first, each in a transaction of its own. They come behind what
 * is indexed already, which is newer. When the job is interrupted, the next run goes on with the rest.
 */
export async function fillSearch(job: Job, deps: Deps): Promise<void> {
  await fillSlots(job, deps);
  await fillFindings(job, deps);
}

async function fillSlots(job: Job, deps: Deps): Promise<void> {
  // Sorts behind every id.
  for (let before = "~"; ; ) {
    const slots = await deps.store.read((q) => store.listUnindexed(q, before, pageSlots));
    for (const { slot_id } of slots) {
      if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped");
      if (!job.isHeld()) return;
      await indexSlot(deps, slot_id, "last");
    }
    if (slots.length < pageSlots) return;
    before = slots.at(-1)!.id;
  }
}

/** The same for findings. */
async function fillFindings(job: Job, deps: Deps): Promise<void> {
  for (;;) {
    const findings = await deps.store.read((q) => store.listUnindexedFindings(q, pageSlots));
    for (const { id } of findings) {
      if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped");
      if (!job.isHeld()) return;
      await indexFinding(deps, id, "last");
    }
    if (findings.length < pageSlots) return;
  }
}

/** Indexes a finding under its own id. One that was merged, or is gone, is not found. */
const indexFinding = (deps: Deps, id: string, where: "first" | "last") =>
  deps.store.write(async (tx) => {
    if (where === "last" && (await store.isIndexed(tx, id))) return;
    await store.remove(tx, id, {});
    const finding = await store.findFinding(tx, id);
    if (!finding) return;
    const entries = entriesOf("finding", id, linesOf(`${finding.title}\n${finding.body}`, null));
    await store.add(tx, deps.store.dialect, finding, entries, where);
    store.markIndexed(tx, id);
  });

/** `last`: only if it was not indexed yet. */
const indexSlot = (deps: Deps, slotId: string, where: "first" | "last") =>
  withTranscript(deps, slotId, async (tx, slot, spoken) => {
    if (where === "last" && (await store.isIndexed(tx, slotId))) return;
    await store.remove(tx, slotId, {});
    const moments = (await store.momentsOf(tx, slotId)).flatMap(momentEntries);
    const entries = [...spoken, ...entriesOf("notes", slotId, linesOf(slot.notes, null)), ...moments];
    await store.add(tx, deps.store.dialect, slot, entries, where);
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
    isCurrent = await deps.store.write(async (tx) => {
      const slot = await store.findSlot(tx, slotId);
      const now = await store.findTranscript(tx, slotId);
      if (now?.key !== row?.key || now?.key_takeaways !== row?.key_takeaways) return false;
      if (slot) await use(tx, slot, spoken);
      return true;
    });
  }
}

async function transcriptEntries(
  deps: Deps,
  slotId: string,
  { key, key_takeaways }: store.TranscriptRow,
): Promise<store.Entry[]> {
  const vtt = key === null ? "" : ((await deps.blobs.text(key)) ?? "");
  const cues = readCues(vtt.replaceAll("\0", "")).map(({ startMs, text }) => ({ atMs: startMs, text }));
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
