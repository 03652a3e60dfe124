import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, inTurn } from "./measure.ts";
import { serveDemo } from "./serve.ts";

const cli = join(import.meta.dirname, "../../bin/playtest.js");
const rounds = 15;

/** Milliseconds a process takes from start to end. */
function timed(argv: string[], env: NodeJS.ProcessEnv = process.env): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env });
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

const empty = { name: "node -e 0", run: async () => timed(["-e", "0"]) };

function figures(name: string, times: Map<string, number>, goal: number): Figure[] {
  const base = times.get(empty.name)!;
  const ours = [...times].filter(([what]) => what !== empty.name);
  return ours.map(([what, ms]) => ({
    name,
    what,
    ratio: ms / base,
    goal: `≤ ${goal}×`,
    met: ms / base <= goal,
    raw: `${ms.toFixed(0)} / ${base.toFixed(0)} ms`,
  }));
}

/** `start`: what is answered without a command, against an empty node. Measures the built program. */
export async function start(): Promise<Figure[]> {
  const words = [["--version"], ["--help"], ["__complete", "--", "games", ""]];
  const ours = words.map((argv) => ({ name: argv.join(" ").trim(), run: async () => timed([cli, ...argv]) }));
  return figures("start", await inTurn([empty, ...ours], rounds), 1.25);
}

/** `start-call`: one read from a running server, against an empty node. */
export async function startCall(): Promise<Figure[]> {
  const served = await serveDemo();
  const config = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const env = {
    ...process.env,
    PLAYTEST_CONFIG_DIR: config,
    PLAYTEST_BASE_URL: served.baseUrl,
    PLAYTEST_API_KEY: served.ownerKey,
  };
  const call = { name: "games list --json", run: async () => timed([cli, "games", "list", "--json"], env) };
  try {
    return figures("start-call", await inTurn([empty, call], rounds), 1.8);
  } finally {
    await served.stop();
    rmSync(config, { recursive: true, force: true });
  }
}
