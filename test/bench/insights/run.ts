/**
 * `npx tsx test/bench/insights/run.ts [VIDEOS]`: measures generated one-hour videos with the real ffmpeg and says how much of what was planted
 * in them lies in the first 30 minutes of highlights, with a transcriber that tells the truth and with one that loops, and whether the
 * recording check finds what is wrong. It needs `ffmpeg` and `espeak-ng`, which PLAYTEST_FFMPEG and PLAYTEST_ESPEAK can name. Ends with 1
 * when a goal is missed.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaults } from "../../../server/config/defaults.ts";
import { lexiconOf, type Watched } from "../../../server/sharing/highlights/rules.ts";
import { createFfmpegMeter } from "../../../server/sharing/signals/meter.ts";
import { factsOf } from "../../../server/sharing/signals/rules.ts";
import { readCues, writeCues } from "../../../src/contract/text/cues.ts";
import { highlightsOf } from "../../helpers/highlights.ts";

const ffmpeg = process.env.PLAYTEST_FFMPEG ?? "ffmpeg";
const espeak = process.env.PLAYTEST_ESPEAK ?? "espeak-ng";
const videos = Number(process.argv[2] ?? 20);
const hour = 3600;
const soundHz = 8000;
/** Nothing changes between frames but what the picture shows, so few and small ones are enough. */
const picture = { width: 160, height: 90, rate: 5 };

/** A linear congruential generator: the same videos each time. */
let state = 20260301;
const random = () => {
  state = (state * 1664525 + 1013904223) % 2 ** 32;
  return state / 2 ** 32;
};
const between = (from: number, to: number) => from + Math.floor(random() * (to - from));

/** Speech as samples from -1 to 1. */
function speech(text: string): Float32Array {
  const wav = execFileSync(espeak, ["--stdout", text], { maxBuffer: 2 ** 26 });
  const from = wav.readUInt32LE(24);
  const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)));
  const said = new Float32Array(Math.floor((samples.length * soundHz) / from));
  for (let at = 0; at < said.length; at++) said[at] = samples[Math.floor((at * from) / soundHz)]! / 2 ** 15;
  return said;
}

const phrases = {
  usual: [
    "then I go on to the next room",
    "this wall is made of stone",
    "I take the stairs down again",
    "there is a barrel beside it",
  ],
  lost: ["what? I have no idea where this goes", "where do I go now, I am confused"],
  shout: ["aaah no no no no get away from me"],
};

interface Planted {
  kind: "loud" | "frozen" | "confusion" | "mark";
  second: number;
}

interface Wrong {
  kind: "black" | "silence" | "frozen";
  from: number;
  to: number;
}

interface Plan {
  planted: Planted[];
  wrong: Wrong[];
  cues: { second: number; text: string; gain: number }[];
}

/** What happens in a video: three of four signs, each in a part of its own, a black picture, a silence, and in every third a long standstill. */
function plan(number: number): Plan {
  const stands = number % 3 === 0;
  const kinds = (["loud", "frozen", "confusion", "mark"] as const)
    .filter((_, index) => index !== number % 4)
    .slice(stands ? 1 : 0);
  const planted = kinds.map((kind, index): Planted => ({ kind, second: between(200 + index * 800, 850 + index * 800) }));
  if (stands) planted.push({ kind: "frozen", second: 3400 });
  const black = between(2700, 2900);
  const silence = between(3000, 3200);
  const wrong: Wrong[] = [
    { kind: "black", from: black, to: black + 30 },
    { kind: "silence", from: silence, to: silence + 120 },
    ...(stands ? [{ kind: "frozen", from: 3400, to: 3500 } as const] : []),
  ];
  const quiet = (second: number) => second >= silence - 8 && second < silence + 121;
  const near = (second: number) => planted.some((one) => one.kind !== "frozen" && Math.abs(one.second - second) < 12);
  const cues: Plan["cues"] = [];
  for (let second = 5; second < hour - 10; second += between(8, 12))
    if (!quiet(second) && !near(second)) cues.push({ second, text: phrases.usual[between(0, 4)]!, gain: 0.05 });
  for (const { kind, second } of planted) {
    if (kind === "confusion") cues.push({ second, text: phrases.lost[between(0, 2)]!, gain: 0.05 });
    if (kind === "loud") cues.push({ second, text: phrases.shout[0]!, gain: 0.9 });
  }
  return { planted, wrong, cues: cues.sort((a, b) => a.second - b.second) };
}

const spoken = new Map<string, Float32Array>();
function said(text: string): Float32Array {
  const known = spoken.get(text) ?? speech(text);
  spoken.set(text, known);
  return known;
}

function soundOf({ cues, wrong }: Plan): Buffer {
  const samples = new Float32Array(hour * soundHz);
  for (let at = 0; at < samples.length; at++) samples[at] = (Math.random() - 0.5) * 0.006;
  for (const { second, text, gain } of cues) {
    const words = said(text);
    const loudest = words.reduce((most, one) => Math.max(most, Math.abs(one)), 0.001);
    for (let at = 0; at < words.length && second * soundHz + at < samples.length; at++)
      samples[second * soundHz + at]! += (words[at]! / loudest) * gain;
  }
  for (const { kind, from, to } of wrong) if (kind === "silence") samples.fill(0, from * soundHz, to * soundHz);
  const pcm = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at++)
    pcm.writeInt16LE(Math.round(Math.max(-1, Math.min(1, samples[at]!)) * 32_767), at * 2);
  return pcm;
}

const levels = 180;
const black = Buffer.alloc(picture.width * picture.height);
const patterns = new Map<number, Buffer>();

/** Stripes, which move with the phase. */
function patternOf(phase: number): Buffer {
  const known = patterns.get(phase);
  if (known) return known;
  const { width, height } = picture;
  const bytes = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) bytes[y * width + x] = 40 + ((x * 3 + y * 2 + phase * 11) % levels);
  patterns.set(phase, bytes);
  return bytes;
}

/** The frames, one after the other: a pattern that moves, one that stands still, or black. */
async function film(plan: Plan, to: string): Promise<void> {
  const { width, height, rate } = picture;
  const pcm = `${to}.pcm`;
  writeFileSync(pcm, soundOf(plan));
  const args = [
    ...[
      "-hide_banner",
      "-loglevel",
      "error",
      "-y",
      "-f",
      "rawvideo",
      "-pix_fmt",
      "gray",
      "-s",
      `${width}x${height}`,
      "-r",
      String(rate),
    ],
    ...[
      "-i",
      "-",
      "-f",
      "s16le",
      "-ar",
      String(soundHz),
      "-ac",
      "1",
      "-i",
      pcm,
      "-c:v",
      "libx264",
      "-preset",
      "ultrafast",
      "-crf",
      "30",
    ],
    ...["-pix_fmt", "yuv420p", "-g", "120", "-c:a", "aac", "-b:a", "32k", "-f", "mp4", to],
  ];
  const child = spawn(ffmpeg, args, { stdio: ["pipe", "inherit", "inherit"] });
  const stands = [
    ...plan.planted.filter(({ kind }) => kind === "frozen").map(({ second }) => [second, second + 40] as const),
    ...plan.wrong.filter(({ kind }) => kind === "frozen").map(({ from, to }) => [from, to] as const),
  ];
  const isBlack = (second: number) => plan.wrong.some(({ kind, from, to }) => kind === "black" && second >= from && second < to);
  let phase = 0;
  for (let frame = 0; frame < hour * rate; frame++) {
    const second = frame / rate;
    if (!stands.some(([from, to]) => second >= from && second < to)) phase++;
    const bytes = isBlack(second) ? black : patternOf(phase % levels);
    if (!child.stdin.write(bytes)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  const [code] = await once(child, "close");
  rmSync(pcm);
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`);
}

/** What a transcriber that tells the truth writes, and what one that loops does in the silence. */
function transcriptOf({ cues, wrong }: Plan, loops: boolean): string {
  const told = cues.map(({ second, text }) => ({ startMs: second * 1000, endMs: second * 1000 + 2500, text }));
  const silence = wrong.find(({ kind }) => kind === "silence")!;
  const looped = Array.from({ length: 40 }, (_, at) => ({
    startMs: (silence.from + at * 3) * 1000,
    endMs: (silence.from + at * 3 + 2) * 1000,
    text: "I have no idea",
  }));
  // A loop stands in the place of what is said there.
  const early = Array.from({ length: 6 }, (_, at) => ({ startMs: 60_000 + at * 2000, endMs: 61_500 + at * 2000, text: "wow" }));
  const heard = told.filter(({ startMs }) => startMs < 57_000 || startMs > 72_000);
  return writeCues((loops ? [...heard, ...looped, ...early] : told).sort((a, b) => a.startMs - b.startMs));
}

const mark = ({ planted }: Plan) => {
  const second = planted.find(({ kind }) => kind === "mark")?.second;
  return second === undefined ? "" : `Stuck at ${Math.floor(second / 60)}:${String(second % 60).padStart(2, "0")}.`;
};

/** Whether the facts are those that were planted, give or take two seconds, and no others. */
function factsAreRight(found: ReturnType<typeof factsOf>, { wrong }: Plan): boolean {
  const near = (a: number, b: number) => Math.abs(a / 1000 - b) <= 2;
  return (
    found.length === wrong.length &&
    wrong.every(({ kind, from, to }) => found.some((one) => one.kind === kind && near(one.fromMs, from) && near(one.toMs, to)))
  );
}

const folder = mkdtempSync(join(tmpdir(), "playtest-insights-"));
const meter = createFfmpegMeter({ ...defaults.clips, ffmpeg: [ffmpeg] });
const planned: { slotId: string; plan: Plan; video: Omit<Watched, "cues"> }[] = [];
let [right, measuringMs] = [0, 0];
try {
  for (let number = 0; number < videos; number++) {
    const made = plan(number);
    const path = join(folder, `${number}.mp4`);
    await film(made, path);
    const began = performance.now();
    const signals = await meter.measure({ path, contentType: "video/mp4", lengthMs: null }, folder, new AbortController().signal);
    measuringMs += performance.now() - began;
    const found = factsOf(signals, hour * 1000, 60);
    if (factsAreRight(found, made)) right++;
    else console.log(`video ${number}: planted ${JSON.stringify(made.wrong)}, found ${JSON.stringify(found)}`);
    const slotId = String(number).padStart(2, "0");
    planned.push({ slotId, plan: made, video: { slotId, lengthMs: hour * 1000, signals, notes: [], said: mark(made) } });
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

let missed = right < videos;
console.log(`facts right in ${right} of ${videos} videos; ${(measuringMs / videos / 1000).toFixed(1)} s to measure an hour`);
for (const loops of [false, true]) {
  const watched = planned.map(({ plan, video }) => ({ ...video, cues: readCues(transcriptOf(plan, loops), "hidden") }));
  const found = highlightsOf(watched, lexiconOf(defaults.highlights), { minutes: 30, perVideo: 3 });
  const all = planned.flatMap(({ slotId, plan: { planted } }) => planted.map((one) => ({ slotId, ...one })));
  const lost = all.filter(
    ({ slotId, second }) =>
      !found.some((one) => one.slotId === slotId && one.fromMs <= (second + 2) * 1000 && one.toMs >= (second - 2) * 1000),
  );
  const share = 1 - lost.length / all.length;
  missed ||= share < 0.9;
  const minutes = found.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 60_000;
  console.log(
    `${loops ? "looping" : "truthful"} transcriber: ${(share * 100).toFixed(1)} % of ${all.length} planted seconds in ${minutes.toFixed(1)} minutes of highlights; lost: ${lost.map(({ slotId, kind, second }) => `${slotId} ${kind} ${second}`).join(", ") || "none"}`,
  );
}
process.exitCode = missed ? 1 : 0;
