import type { FaultKind } from "../../../src/contract/signals/kinds.ts";
import { quietDb } from "../../../src/contract/signals/quiet.ts";
import type { Cue } from "../../../src/contract/text/cues.ts";
import { positionText } from "../../../src/contract/text/position.ts";

/** What was measured of a recording, one number for each second; null for a track that it does not have. */
export interface Signals {
  /** dB below full scale, not below `silentDb`. */
  loudness: readonly number[] | null;
  /** Mean difference of the picture from the one a second before, from 0 to 255. */
  motion: readonly number[] | null;
  /** Brightness that nine tenths of the picture do not exceed, from 0 to 255; black is 16. */
  luma: readonly number[] | null;
}

export interface Fact {
  kind: FaultKind;
  fromMs: number;
  toMs: number;
  text: string;
}

/** What a second without sound has. */
export const silentDb = -120;

/** A picture that is darker is black, also when it has a cursor. */
export const blackLuma = 20;
/** A picture that changes less is frozen: what a codec leaves of noise is less. */
const frozenMotion = 0.1;
/** A key frame is coded anew, which changes a picture that stands still for one second, by less than this. */
const keyFrameMotion = 0.5;

/** Whether the picture is that of the second before, as far as a codec lets it be. */
export function isStill(motion: readonly number[], at: number): boolean {
  if (motion[at]! <= frozenMotion) return true;
  const [before = 0, after = 0] = [motion[at - 1], motion[at + 1]];
  return motion[at]! <= keyFrameMotion && before <= frozenMotion && after <= frozenMotion;
}

/** From how many seconds on it is said. A menu or a loading screen is shorter. */
const shortest = { silence: 60, black: 5, frozen: 60 } as const;

/** The runs of seconds for which `holds`, of at least `least` of them: from, and to, not included. */
export function runsOf(count: number, holds: (second: number) => boolean, least: number): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (let at = 0; at < count; at++) {
    if (!holds(at)) continue;
    const from = at;
    while (at < count && holds(at)) at++;
    if (at - from >= least) runs.push([from, at]);
  }
  return runs;
}

const span = (from: number, to: number) => `${positionText(from * 1000)} to ${positionText(to * 1000)}`;

/** `20 s`, `3 minutes`. */
const lengthText = (seconds: number) => {
  if (seconds < 120) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} minutes`;
};

interface Wrong {
  silence: [number, number][];
  black: [number, number][];
  frozen: [number, number][];
  noSound: boolean;
  noPicture: boolean;
}

/** The seconds that look wrong, in runs, and whether all of a track does. */
function wrongIn({ loudness, motion, luma }: Signals): Wrong {
  const isSilent = (at: number) => loudness![at]! <= quietDb;
  const isBlack = (at: number) => (luma?.[at] ?? 255) <= blackLuma;
  // A black picture is frozen, too: that is said once.
  const isFrozen = (at: number) => isStill(motion!, at) && !isBlack(at);
  return {
    silence: loudness === null ? [] : runsOf(loudness.length, isSilent, shortest.silence),
    black: luma === null ? [] : runsOf(luma.length, isBlack, shortest.black),
    frozen: motion === null ? [] : runsOf(motion.length, isFrozen, shortest.frozen),
    noSound: loudness === null || loudness.every((_, at) => isSilent(at)),
    noPicture: luma === null || luma.every((_, at) => isBlack(at)),
  };
}

/** How much of a recording has a picture that is neither black nor frozen, and sound that is not silence: whole percent. */
export function usableOf(signals: Signals): { picture: number; sound: number } {
  const { silence, black, frozen, noSound, noPicture } = wrongIn(signals);
  const percent = (seconds: number, wrong: [number, number][]) =>
    Math.floor(100 * (1 - wrong.reduce((sum, [from, to]) => sum + to - from, 0) / Math.max(1, seconds)));
  return {
    picture: noPicture ? 0 : percent(signals.luma?.length ?? 0, [...black, ...frozen]),
    sound: noSound ? 0 : percent(signals.loudness?.length ?? 0, silence),
  };
}

const whole = { no_sound: "The recording has no sound.", no_picture: "The recording has no picture." } as const;

/** What looks wrong in a recording of this length (ms), for which so many minutes were booked; in the order of the video. */
export function factsOf(signals: Signals, lengthMs: number, bookedMinutes: number): Fact[] {
  const all = (kind: keyof typeof whole): Fact => ({ kind, fromMs: 0, toMs: lengthMs, text: whole[kind] });
  const found = (kind: keyof typeof shortest, runs: [number, number][], text: (from: number, to: number) => string) =>
    runs.map(([from, to]): Fact => {
      const toMs = Math.max(Math.min(to * 1000, lengthMs), from * 1000);
      return { kind, fromMs: from * 1000, toMs, text: text(from, to) };
    });
  const { silence, black, frozen, noSound, noPicture } = wrongIn(signals);
  const isShort = lengthMs < bookedMinutes * 60_000;
  const short = `The recording has ${lengthText(Math.floor(lengthMs / 1000))} of the ${bookedMinutes} minutes booked.`;
  const facts = [
    ...(isShort ? [{ kind: "short", fromMs: 0, toMs: lengthMs, text: short } as const] : []),
    ...(noSound ? [all("no_sound")] : found("silence", silence, (from, to) => `No sound from ${span(from, to)}.`)),
    ...(noPicture ? [all("no_picture")] : found("black", black, (from, to) => `The picture is black from ${span(from, to)}.`)),
    ...found("frozen", frozen, (from, to) => `The picture is frozen from ${span(from, to)}, for ${lengthText(to - from)}.`),
  ];
  return facts.sort((a, b) => a.fromMs - b.fromMs);
}

/** For each of so many seconds, whether something is said. */
export function speechOf(cues: readonly Cue[], seconds: number): number[] {
  const speech = new Array<number>(seconds).fill(0);
  for (const { startMs, endMs } of cues)
    for (let at = Math.floor(startMs / 1000); at < Math.min(Math.ceil(endMs / 1000), seconds); at++) speech[at] = 1;
  return speech;
}

/** The numbers that ffmpeg printed for a key, one for each second. Silence is written as `-inf`. Null if it printed none. */
export function readPrinted(text: string, least: number): number[] | null {
  const numbers = [...text.matchAll(/^lavfi\.[^=\n]+=(\S+)$/gm)].map(([, value]) => {
    const number = Number(value);
    return Number.isFinite(number) ? Math.max(least, Math.round(number * 10) / 10) : least;
  });
  return numbers.length === 0 ? null : numbers;
}
