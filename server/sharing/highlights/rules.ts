import { cleaned } from "../../../src/contract/signals/cleaned.ts";
import type { HighlightReason } from "../../../src/contract/signals/kinds.ts";
import type { Cue } from "../../../src/contract/text/cues.ts";
import { parsePosition } from "../../../src/contract/text/position.ts";
import { type Phrase, phrasesOf, wordsOf } from "../../search/rules.ts";
import { blackLuma, isStill, runsOf, type Signals } from "../signals/rules.ts";

/** Where to look first in a video, by a formula that stands on the help page about reviewing. The same input gives the same list. */

/** A video, as far as it is known. */
export interface Watched {
  slotId: string;
  lengthMs: number | null;
  signals: Signals | null;
  cues: readonly Cue[];
  notes: readonly { atMs: number; severity: number | null }[];
  /** What the playtester wrote when submitting: the times in it are marks. */
  said: string;
}

/** Words and phrases by which a cue counts. */
export interface Lexicon {
  confusion: readonly string[];
  delight: readonly string[];
}

/** The words of all languages. */
export const lexiconOf = (byLanguage: Readonly<Record<string, Lexicon>>): Lexicon => {
  const all = Object.values(byLanguage);
  const every = (kind: keyof Lexicon) => [...new Set(all.flatMap((one) => one[kind]))];
  return { confusion: every("confusion"), delight: every("delight") };
};

export interface Highlight {
  slotId: string;
  fromMs: number;
  toMs: number;
  score: number;
  reasons: { kind: HighlightReason; text: string }[];
}

/** Something that counts, between two positions in ms. `said` is the word of a cue. */
interface Sign {
  kind: HighlightReason;
  fromMs: number;
  toMs: number;
  weight: number;
  said?: string;
}

/** What one sign of each kind counts; a note also counts its severity. */
const weights: Record<HighlightReason, number> = { note: 4, mark: 4, confusion: 2, delight: 2, frozen: 3, silence: 1.5, loud: 2 };

/** The share of seconds that count as loud, and the loudness in dB below which none does: a quiet video has no outburst. */
const loudShare = 0.01;
const loudDb = -35;
/** How much louder than the median of the video a second must be. */
const aboveUsualDb = 10;
/** From how many seconds on the picture is frozen, and nobody speaks after something was said. */
const frozenSeconds = 20;
const silenceSeconds = 20;

/** Signs that are this near are one part, which begins before its first and ends after its last. In ms. */
const nearMs = 12_000;
const beforeMs = 4_000;
const afterMs = 8_000;
const longestMs = 60_000;

const noted = ({ notes }: Watched): Sign[] =>
  notes.map(({ atMs, severity }) => ({ kind: "note", fromMs: atMs, toMs: atMs, weight: weights.note + (severity ?? 0) }));

/** A time such as 12:41 in what the playtester wrote, on its own. */
const writtenTime = /(?<![\d:.])(?:\d{1,2}:)?\d{1,3}:[0-5]\d(?![\d:])/g;

const marked = ({ said }: Watched): Sign[] =>
  [...new Set(said.match(writtenTime))].flatMap((text): Sign[] => {
    const atMs = parsePosition(text);
    if (atMs === undefined) return [];
    return [{ kind: "mark", fromMs: atMs, toMs: atMs, weight: weights.mark, said: text }];
  });

/** The loudest seconds, as many as the share says. */
function loud({ signals }: Watched): Sign[] {
  const loudness = signals?.loudness ?? [];
  const most = Math.ceil(loudness.length * loudShare);
  const least = loudness.toSorted((a, b) => b - a)[most - 1] ?? 0;
  const usual = loudness.toSorted((a, b) => a - b)[Math.floor(loudness.length / 2)] ?? 0;
  // Where all is equally loud, as in a game with steady music, nothing stands out.
  const isLoud = (at: number) => loudness[at]! >= least && loudness[at]! >= loudDb && loudness[at]! >= usual + aboveUsualDb;
  return runsOf(loudness.length, isLoud, 1).map(([from, to]) => ({
    kind: "loud",
    fromMs: from * 1000,
    toMs: to * 1000,
    weight: weights.loud,
  }));
}

function frozen({ signals }: Watched): Sign[] {
  const motion = signals?.motion ?? [];
  // A black picture is said by the recording check, and shows nothing.
  const isFrozen = (at: number) => isStill(motion, at) && (signals?.luma?.[at] ?? 255) > blackLuma;
  return runsOf(motion.length, isFrozen, frozenSeconds).map(([from, to]) => ({
    kind: "frozen",
    fromMs: from * 1000,
    toMs: to * 1000,
    weight: weights.frozen,
  }));
}

/** Where somebody who spoke says nothing. */
function silence({ cues }: Watched): Sign[] {
  return cues.flatMap(({ endMs }, index): Sign[] => {
    const next = cues[index + 1]?.startMs;
    if (next === undefined || next - endMs < silenceSeconds * 1000) return [];
    return [{ kind: "silence", fromMs: endMs, toMs: next, weight: weights.silence }];
  });
}

/** An entry of the lexicon as one phrase, whatever it is made of. */
const entryPhrase = (entry: string): Phrase => phrasesOf(`"${entry.replaceAll('"', " ")}"`)[0] ?? [];

interface Entry {
  kind: "confusion" | "delight";
  entry: string;
  phrase: Phrase;
}

/** The entries of a lexicon by their first word: to compare each word of long videos with each entry takes seconds. */
export type Entries = ReadonlyMap<string, readonly Entry[]>;

export function entriesOf(lexicon: Lexicon): Entries {
  const byWord = new Map<string, Entry[]>();
  for (const kind of ["confusion", "delight"] as const)
    for (const entry of lexicon[kind]) {
      const phrase = entryPhrase(entry);
      const [first] = phrase;
      if (first !== undefined) byWord.set(first, [...(byWord.get(first) ?? []), { kind, entry, phrase }]);
    }
  return byWord;
}

function spoken({ cues }: Watched, entries: Entries): Sign[] {
  return cues.flatMap(({ startMs, endMs, text }) => {
    const words = wordsOf(text).map(({ word }) => word);
    const found = words.flatMap((word, at) =>
      (entries.get(word) ?? []).filter(({ phrase }) => phrase.every((part, index) => words[at + index] === part)),
    );
    return [...new Set(found)].map(
      ({ kind, entry }): Sign => ({ kind, fromMs: startMs, toMs: endMs, weight: weights[kind], said: entry }),
    );
  });
}

const signsOf = (given: Watched, entries: Entries): Sign[] => {
  const video = { ...given, cues: cleaned(given.cues, given.signals?.loudness ?? null).kept };
  // Notes, captions and signals may reach beyond the end of a video, where nothing can be shown or cut.
  return [...noted(video), ...marked(video), ...spoken(video, entries), ...frozen(video), ...silence(video), ...loud(video)]
    .filter(({ fromMs }) => fromMs < (video.lengthMs ?? Infinity))
    .sort((a, b) => a.fromMs - b.fromMs || highlightOrder(a, b));
};

const highlightOrder = (a: Sign, b: Sign) => a.kind.localeCompare(b.kind) || (a.said ?? "").localeCompare(b.said ?? "");

/** Groups signs that begin near each other, in parts that are not too long. */
function partsOf(signs: readonly Sign[]): Sign[][] {
  const parts: Sign[][] = [];
  for (const sign of signs) {
    const part = parts.at(-1);
    const fits = part && sign.fromMs - part.at(-1)!.fromMs <= nearMs && sign.fromMs - part[0]!.fromMs <= longestMs - afterMs;
    if (fits) part.push(sign);
    else parts.push([sign]);
  }
  return parts;
}

const times = (count: number) => (count === 1 ? "" : count === 2 ? " twice" : ` ${count} times`);

function textOf(kind: HighlightReason, signs: readonly Sign[]): string {
  const seconds = Math.round(Math.max(...signs.map(({ fromMs, toMs }) => toMs - fromMs)) / 1000);
  if (kind === "note") return signs.length === 1 ? "your note" : `${signs.length} of your notes`;
  if (kind === "mark") return `the playtester's notes name ${signs.map(({ said }) => said).join(", ")}`;
  if (kind === "frozen") return `picture frozen for ${seconds} s`;
  if (kind === "silence") return `nothing said for ${seconds} s`;
  if (kind === "loud") return "among the loudest 1 %";
  const counts = new Map<string, number>();
  for (const { said = "" } of signs) counts.set(said, (counts.get(said) ?? 0) + 1);
  return [...counts].map(([said, count]) => `“${said}”${times(count)}`).join(", ");
}

/** Signs of one kind count up to three times: a song that is played again says nothing more. */
const scoreOf = (signs: readonly Sign[]) =>
  signs
    .map(({ weight }) => weight)
    .sort((a, b) => b - a)
    .slice(0, 3)
    .reduce((sum, weight) => sum + weight, 0);

function highlightOf({ slotId, lengthMs }: Watched, part: readonly Sign[]): Highlight {
  const kinds = [...new Set(part.map(({ kind }) => kind))];
  const byKind = kinds.map((kind) => ({ kind, signs: part.filter((sign) => sign.kind === kind) }));
  const score = byKind.reduce((sum, { signs }) => sum + scoreOf(signs), 0);
  const fromMs = Math.max(0, part[0]!.fromMs - beforeMs);
  const last = Math.max(...part.map((sign) => Math.min(sign.toMs, sign.fromMs + afterMs)));
  const toMs = Math.min(last + afterMs, fromMs + longestMs, lengthMs ?? Infinity);
  const reasons = byKind
    .toSorted((a, b) => scoreOf(b.signs) - scoreOf(a.signs) || a.kind.localeCompare(b.kind))
    .map(({ kind, signs }) => ({ kind, text: textOf(kind, signs) }));
  return { slotId, fromMs, toMs: Math.max(toMs, fromMs), score: Math.round(score * 10) / 10, reasons };
}

const best = (a: Highlight, b: Highlight) => b.score - a.score || a.slotId.localeCompare(b.slotId) || a.fromMs - b.fromMs;

/** The best parts of a video, so many, the best first. */
export const bestOf = (video: Watched, entries: Entries, most: number): Highlight[] =>
  partsOf(signsOf(video, entries))
    .map((part) => highlightOf(video, part))
    .sort(best)
    .slice(0, most);

/** The best of the best parts of several videos, together not longer than so many minutes. The best first. */
export function chosenOf(parts: readonly Highlight[], minutes: number): Highlight[] {
  const chosen: Highlight[] = [];
  let leftMs = minutes * 60_000;
  for (const one of parts.toSorted(best)) {
    if (one.toMs - one.fromMs > leftMs) continue;
    leftMs -= one.toMs - one.fromMs;
    chosen.push(one);
  }
  return chosen;
}
