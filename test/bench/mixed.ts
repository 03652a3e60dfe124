import type { Call } from "./load.ts";
import type { Figure } from "./measure.ts";
import { orderOf } from "./order.ts";
import { type Calls, cpuFigure, inTurns } from "./sustained/by-hand.ts";
import type { Population } from "./sustained/population.ts";

/** A read of each game in turn, by its owner. */
function readOf({ games }: Population, index: number): Call {
  const { id, key } = games[(index * 7919) % games.length]!;
  return { method: "GET", path: `/api/v1/games/${id}`, headers: { authorization: `Bearer ${key}` } };
}

const reads: Calls = (population) => (index) => readOf(population, index);
const both: Calls = (population) => (index) => (index % 10 === 0 ? orderOf(population, index / 10) : readOf(population, index));

/** `mixed`: nine reads of 10,000 games to one order over 64 connections, against the same work by hand and against reads alone. */
export async function mixed(): Promise<Figure[]> {
  const { ours, theirs, alone, costs } = await inTurns(
    { testers: 0, playtests: 0 },
    {
      ours: { server: "playtest", calls: both },
      theirs: { server: "by hand", calls: both },
      alone: { server: "playtest", calls: reads },
    },
  );
  const rate = ours.perSecond / theirs.perSecond;
  const tail = ours.p99OfReads / alone.p99OfReads;
  return [
    {
      name: "mixed",
      what: "nine reads to one order, against the same work by hand",
      ratio: rate,
      goal: "≥ 0.8×",
      met: rate >= 0.8,
      raw: `${Math.round(ours.perSecond)} / ${Math.round(theirs.perSecond)} a second`,
    },
    {
      name: "mixed",
      what: "p99 of reads, against reads without orders",
      ratio: tail,
      goal: "≤ 4×",
      met: tail <= 4,
      raw: `${ours.p99OfReads.toFixed(1)} / ${alone.p99OfReads.toFixed(1)} ms`,
    },
    cpuFigure("mixed", ours, theirs, costs),
  ];
}
