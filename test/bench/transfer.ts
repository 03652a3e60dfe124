import { execFileSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { peakMemory, playtest, type Ran } from "./command.ts";
import { type Figure, inTurn } from "./measure.ts";
import { api } from "./order.ts";
import { type Served, serveDemo, servePeer } from "./serve.ts";

const gib = 2;
const size = gib * 2 ** 30;
const memoryGoal = 150 * 2 ** 20;

/** `upload`: `games push` of 2 GiB, against a stream pipeline that copies the file over a socket with SHA-256 on both sides. */
export async function upload(): Promise<Figure[]> {
  const served = await serveDemo();
  try {
    const file = bigFile(served, "build.zip");
    const pushes: Ran[] = [];
    const push = async () => {
      // Another first byte is another build.
      touch(file, pushes.length);
      pushes.push(await playtest(served, served.ownerKey, ["games", "push", file, served.gameId, "--json"]));
      return pushes.at(-1)!.seconds;
    };
    const figure = await against(served, file, { name: "upload", what: "games push of 2 GiB", goal: 0.6, run: push });
    return [figure, ...memories("upload", pushes, served)];
  } finally {
    await served.stop();
  }
}

/** `download`: `review download` of a 2 GiB video, against the same copy. */
export async function download(): Promise<Figure[]> {
  const served = await serveDemo();
  try {
    const file = bigFile(served, "video.mp4");
    const slotId = await submitted(served, file);
    const to = join(served.dataDir, "videos");
    const downloads: Ran[] = [];
    const run = async () => {
      rmSync(to, { recursive: true, force: true });
      downloads.push(await playtest(served, served.ownerKey, ["review", "download", slotId, "--dir", to, "--json"]));
      return downloads.at(-1)!.seconds;
    };
    const figure = await against(served, file, { name: "download", what: "review download of 2 GiB", goal: 0.8, run });
    return [figure, ...memories("download", downloads, served)];
  } finally {
    await served.stop();
  }
}

/** Waits until the disk has what was written before: otherwise each run would be slowed down by the one before it. */
const settle = () => execFileSync("sync");

interface Transfer {
  name: string;
  what: string;
  /** Times the rate of the plain copy. */
  goal: number;
  /** Seconds. */
  run(): Promise<number>;
}

async function against(served: Served, file: string, { name, what, goal, run }: Transfer): Promise<Figure> {
  const receiver = await servePeer("peers/copy.ts", ["receive", join(served.dataDir, "copy")]);
  const sender = join(import.meta.dirname, "peers/copy.ts");
  const copy = async () => {
    settle();
    const started = performance.now();
    execFileSync(process.execPath, ["--import", "tsx", sender, "send", file, new URL(receiver.baseUrl).port]);
    return (performance.now() - started) / 1000;
  };
  try {
    const times = await inTurn([
      { name: "copy", run: copy },
      {
        name,
        run: () => {
          settle();
          return run();
        },
      },
    ]);
    const [ours, plain] = [times.get(name)!, times.get("copy")!];
    const rate = (seconds: number) => `${(size / 2 ** 20 / seconds).toFixed(0)}`;
    return {
      name,
      what: `${what} against a plain copy`,
      ratio: plain / ours,
      goal: `≥ ${goal}×`,
      met: plain / ours >= goal,
      raw: `${rate(ours)} / ${rate(plain)} MiB/s`,
    };
  } finally {
    await receiver.stop();
  }
}

function memories(name: string, runs: readonly Ran[], served: Served): Figure[] {
  const sides = { command: Math.max(...runs.map((ran) => ran.peakMemory)), server: peakMemory(served.pid) ?? 0 };
  return Object.entries(sides).map(([side, peak]) => ({
    name,
    what: `memory of the ${side}, at most`,
    ratio: peak / memoryGoal,
    goal: "≤ 150 MiB",
    met: peak <= memoryGoal,
    raw: `${(peak / 2 ** 20).toFixed(0)} MiB`,
  }));
}

/** A file that no compression makes smaller, beginning as an MP4 does. */
function bigFile(served: Served, name: string): string {
  const path = join(served.dataDir, name);
  const file = openSync(path, "w");
  const block = randomFillSync(Buffer.alloc(16 * 2 ** 20));
  Buffer.from("00000018667479706d703432", "hex").copy(block);
  for (let written = 0; written < size; written += block.length) writeSync(file, block);
  closeSync(file);
  return path;
}

function touch(path: string, value: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.from([value]), 0, 1, size - 1);
  closeSync(file);
}

async function submitted(served: Served, video: string): Promise<string> {
  const order = await api(served, served.ownerKey, "POST", `/games/${served.gameId}/playtests`, {});
  const { playtest: ordered } = order.data as { playtest: { id: string } };
  const key = served.testerKeys[0]!;
  const claim = await api(served, key, "POST", `/playtester/playtests/${ordered.id}/claim`);
  const { slot } = claim.data as { slot: { id: string } };
  await playtest(served, key, ["tester", "submit", video, slot.id, "--json"]);
  return slot.id;
}
