import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "../load.ts";
import type { Figure } from "../measure.ts";
import { serveIn, servePeer } from "../serve.ts";
import { costsOf } from "./costs.ts";
import { type Population, populate, type Size } from "./population.ts";
import { medians, type Sustained, sustain } from "./run.ts";

const rounds = 3;

export type Calls = (population: Population) => (index: number) => Call | undefined;

interface Contender {
  server: "playtest" | "by hand";
  calls: Calls;
}

/** Runs each contender in turn, three times, and returns its medians: a process that was just started, on a copy of the same database. */
export async function inTurns<Name extends string>(
  size: Size,
  contenders: Record<Name, Contender>,
): Promise<Record<Name, Sustained> & { costs: string }> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const template = join(folder, "template");
    mkdirSync(template);
    const population = await populate(template, size);
    const runs = new Map<string, Sustained[]>();
    for (let round = 0; round < rounds; round++)
      for (const [name, { server, calls }] of Object.entries<Contender>(contenders)) {
        const run = await (server === "playtest" ? runServer : runByHand)(template, folder, calls(population));
        runs.set(name, [...(runs.get(name) ?? []), run]);
      }
    const [first] = Object.values<Contender>(contenders);
    const costs = await costsOf(copyOf(template, folder), first!.calls(population));
    const figures = Object.fromEntries([...runs].map(([name, all]) => [name, medians(all)]));
    return { ...(figures as Record<Name, Sustained>), costs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes what was copied to the disk: the first commit would wait for it. */
const flush = () => execFileSync("sync");

function copyOf(template: string, folder: string): string {
  const copy = join(folder, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(template, copy, { recursive: true });
  flush();
  return copy;
}

async function runServer(template: string, folder: string, callOf: (index: number) => Call | undefined): Promise<Sustained> {
  const served = await serveIn(copyOf(template, folder), []);
  try {
    return await sustain(served, callOf);
  } finally {
    await served.stop();
  }
}

async function runByHand(template: string, folder: string, callOf: (index: number) => Call | undefined): Promise<Sustained> {
  const file = join(folder, "by-hand.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  copyFileSync(join(template, "playtest.db"), file);
  flush();
  const peer = await servePeer("peers/by-hand.ts", [file]);
  try {
    return await sustain(peer, callOf);
  } finally {
    await peer.stop();
  }
}

const round = (value: number) => String(Math.round(value));

/** A write against the same work by hand, and what the server executes and stores for one. */
export async function writesAgainstByHand(name: string, what: string, size: Size, calls: Calls): Promise<Figure[]> {
  const contenders = { ours: { server: "playtest", calls }, theirs: { server: "by hand", calls } } as const;
  const { ours, theirs, costs } = await inTurns(size, contenders);
  const rate = ours.perSecond / theirs.perSecond;
  const [tail, start] = [ours.p99 / ours.p50, ours.worstOfFirstSecond / ours.p50];
  const rates = `${round(ours.perSecond)} / ${round(theirs.perSecond)} a second`;
  const worst = `${round(ours.worstOfFirstSecond)} ms; by hand ${round(theirs.worstOfFirstSecond)} ms`;
  return [
    { name, what: `${what}, against the same work by hand`, ratio: rate, goal: "≥ 0.75×", met: rate >= 0.75, raw: rates },
    {
      name,
      what: "p99 against p50",
      ratio: tail,
      goal: "≤ 5×",
      met: tail <= 5,
      raw: `${ours.p99.toFixed(1)} / ${ours.p50.toFixed(1)} ms`,
    },
    { name, what: "worst of the first second against p50", ratio: start, goal: "≤ 10×", met: start <= 10, raw: worst },
    {
      name,
      what: "requests in the first second after a start, by hand",
      ratio: ours.firstSecond / theirs.firstSecond,
      goal: "–",
      met: true,
      raw: `${ours.firstSecond} / ${theirs.firstSecond}`,
    },
    cpuFigure(name, ours, theirs, costs),
  ];
}

/** CPU time hardly depends on what else the machine does. */
export const cpuFigure = (name: string, ours: Sustained, theirs: Sustained, costs: string): Figure => ({
  name,
  what: "CPU time of a request, against the same work by hand",
  ratio: ours.cpu / theirs.cpu,
  goal: "–",
  met: true,
  raw: `${round(ours.cpu)} / ${round(theirs.cpu)} µs; ${costs}`,
});
