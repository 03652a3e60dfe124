import type { Data } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { cleaned } from "../../../contract/signals/cleaned.ts";
import { type Cue, readCues } from "../../../contract/text/cues.ts";
import { isAbsent } from "../../../errors.ts";
import { listLocal } from "../../shared/findings/local.ts";
import { type Finding, lacksFindings } from "../../shared/findings/source.ts";
import { lacksNotes, localNotes } from "../../shared/notes/local.ts";
import { slotsOf } from "../../shared/slots.ts";
import { loudnessOf, transcriptText } from "../../shared/video/transcript.ts";
import type { Said } from "./groups.ts";

type Slot = Data<"listSlots">["slots"][number];
type Moment = Data<"createMoment">["moment"];

/** A passage is what is said without a pause (ms) of this length, at most so many cues and characters. */
const pauseMs = 1500;
const mostCues = 4;
const longestPassage = 300;

/** Joins cues to passages. */
export function passagesOf(cues: readonly Cue[]): Cue[] {
  const passages: (Cue & { cues: number })[] = [];
  for (const cue of cues) {
    const last = passages.at(-1);
    const text = last ? `${last.text} ${cue.text}` : cue.text;
    const goesOn = last && cue.startMs - last.endMs < pauseMs && last.cues < mostCues && text.length <= longestPassage;
    if (goesOn && !/[.?!…]$/.test(last.text)) Object.assign(last, { text, endMs: cue.endMs, cues: last.cues + 1 });
    else passages.push({ ...cue, cues: 1 });
  }
  return passages.map(({ startMs, endMs, text }) => ({ startMs, endMs, text }));
}

const watchable = async (ctx: Context, id: string): Promise<Slot[]> =>
  (await slotsOf(ctx, id)).filter(({ submission, status }) => submission && status !== "rejected");

async function notesOf(ctx: Context, id: string, slots: ReadonlyMap<string, Slot>): Promise<Moment[]> {
  const local = localNotes(ctx)
    .read()
    .map(({ moment }) => moment)
    .filter(({ slotId }) => slots.has(slotId));
  try {
    for await (const { data } of ctx.pages("listPlaytestMoments", { params: { id } }, { all: true })) local.push(...data.moments);
  } catch (error) {
    if (!lacksNotes(error)) throw error;
  }
  return local;
}

async function passagesIn(ctx: Context, slot: Slot): Promise<Cue[]> {
  if (slot.transcription?.status !== "approved") return [];
  try {
    const { downloadUrl } = await ctx.api().getSlotTranscript({ params: { id: slot.id } });
    const cues = readCues(await transcriptText(ctx, downloadUrl), "hidden");
    return passagesOf(cleaned(cues, await loudnessOf(ctx, slot.id)).kept);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function findingsOf(ctx: Context, gameId: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    for await (const { data } of ctx.pages("listFindings", { params: { id: gameId } }, { all: true }))
      findings.push(...data.findings);
  } catch (error) {
    if (!lacksFindings(error)) throw error;
  }
  return [...findings, ...(await listLocal(ctx, gameId))];
}

/** What belongs to a finding already: its note, or a place that overlaps its evidence. */
function isTaken({ slotId, fromMs, toMs, note }: Said, evidence: readonly Finding["evidence"][number][]): boolean {
  if (note !== null) return evidence.some(({ momentId }) => momentId === note.id);
  return evidence.some((one) => one.slotId === slotId && one.fromMs <= (toMs ?? fromMs) && (one.toMs ?? one.fromMs) >= fromMs);
}

/** The notes on the videos of a playtest, and what is said in them, without what belongs to a finding. */
export async function gather(ctx: Context, id: string, gameId: string): Promise<Said[]> {
  const slots = await watchable(ctx, id);
  const byId = new Map(slots.map((slot) => [slot.id, slot]));
  const testerOf = (slotId: string) => byId.get(slotId)?.playtester?.id ?? slotId;
  const said: Said[] = (await notesOf(ctx, id, byId)).map(({ slotId, atMs, endMs, text, id: momentId, kind, severity }) => {
    const note = { id: momentId, kind, severity };
    return { slotId, tester: testerOf(slotId), fromMs: atMs, toMs: endMs, text, note };
  });
  for (const slot of slots) {
    // Transcripts may go on after the video, where nothing can be evidence. Its length is rounded.
    const endsAt = ((slot.submission?.videoDurationSeconds ?? Number.POSITIVE_INFINITY) - 1) * 1000;
    for (const { startMs, endMs, text } of await passagesIn(ctx, slot)) {
      const place = { slotId: slot.id, fromMs: startMs, toMs: endMs < endsAt ? endMs : null };
      if (startMs < Math.max(endsAt, 1)) said.push({ ...place, tester: testerOf(slot.id), text, note: null });
    }
  }
  const evidence = (await findingsOf(ctx, gameId)).flatMap((finding) => finding.evidence);
  return said.filter((one) => byId.has(one.slotId) && !isTaken(one, evidence));
}
