import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, inTurn } from "./measure.ts";
import { serveDemo } from "./serve.ts";

/** What a server loads only once it answers is loaded by then. */
const settleMs = 5_000;
const bare =
  'require("node:http").createServer((_, response) => response.end()).listen(0, "127.0.0.1", () => console.log("ready"))';

/** `idle`: the memory of a server that has nothing to do, against that of a bare one of node:http. */
export async function idle(): Promise<Figure[]> {
  const sizes = await inTurn(
    [
      { name: "bare", run: bareMemory },
      { name: "playtest", run: ourMemory },
    ],
    5,
  );
  const [ours, theirs] = [sizes.get("playtest")!, sizes.get("bare")!];
  return [
    {
      name: "idle",
      what: "memory of an idle server, against an idle bare one",
      ratio: ours / theirs,
      goal: "≤ 2.5×",
      met: ours <= 2.5 * theirs,
      raw: `${ours.toFixed(0)} / ${theirs.toFixed(0)} MiB`,
    },
  ];
}

async function ourMemory(): Promise<number> {
  const served = await serveDemo();
  try {
    await sleep(settleMs);
    return residentMib(served.pid);
  } finally {
    await served.stop();
  }
}

async function bareMemory(): Promise<number> {
  const child = spawn(process.execPath, ["-e", bare], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await sleep(settleMs);
  const size = residentMib(child.pid!);
  child.kill();
  return size;
}

/** Physical memory of a process, in MiB. */
const residentMib = (pid: number) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
