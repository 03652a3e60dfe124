import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Version } from "./versions.ts";

/** Where the processes of a server find their data. */
export interface Place {
  folder: string;
  databaseUrl: string;
  publicUrl: string;
}

export const metricsToken = "metrics-of-the-upgrade";

const environment = (folder: string) => ({
  PATH: process.env.PATH,
  HOME: folder,
  PLAYTEST_CONFIG_DIR: join(folder, "settings"),
  PLAYTEST_BUILT: "1",
  PLAYTEST_METRICS_TOKEN: metricsToken,
  NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
});
/** The flags that say where the data is. */
export const where = ({ folder, databaseUrl }: Place) => ["--data", folder, "--database-url", databaseUrl];

/** Runs a command of a version to its end, and returns what it printed. Rejects with what it said unless it ends with 0. */
export async function run({ program }: Version, { folder }: Pick<Place, "folder">, argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...argv], {
    cwd: folder,
    env: environment(folder),
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** How a process ended: with its code, or the signal that ended it. */
export type End = number | NodeJS.Signals;

/** A process of the server. */
export interface Served {
  version: Version;
  baseUrl: string;
  adminKey: string | null;
  /** How many requests of operations it has answered. */
  answered(): Promise<number>;
  /** Stops it as systemd does. Resolves with what it said on stderr, how it ended, and which jobs it ran. */
  stop(): Promise<{ end: End; said: string; jobs: ReadonlyMap<string, number> }>;
}

/** What runs, and the signal that ends it when nothing else did. */
const running = new Map<ChildProcess, NodeJS.Signals>();
process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Ends a process at the latest when this one ends. */
export function track(child: ChildProcess, signal: NodeJS.Signals): void {
  running.set(child, signal);
  child.once("close", () => running.delete(child));
}

/** Ends what an error left running. */
export async function killLeftovers(): Promise<void> {
  await Promise.all(
    [...running].map(([child, signal]) => {
      child.kill(signal);
      return once(child, "close");
    }),
  );
}

const endOf = ({ exitCode, signalCode }: ChildProcess): End | null => exitCode ?? signalCode;
/** How long a process may take to become ready, and to stop (ms). */
const [readyMs, stopMs] = [120_000, 120_000];

/** Starts a process of the server, and waits until it is ready. */
export async function serve(version: Version, place: Place, port: number): Promise<Served> {
  const name = `${port}-${Date.now()}`;
  const readyFile = join(place.folder, `ready-${name}.json`);
  const argv = ["serve", "run", ...where(place), "--port", String(port), "--behind-proxy", "--public-url", place.publicUrl];
  const more = ["--ready-file", readyFile, "--rate-limit", "off", "--log", "json", "--log-level", "warn"];
  const child = spawn(process.execPath, [version.program, ...argv, ...more], {
    cwd: place.folder,
    env: environment(place.folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  track(child, "SIGKILL");
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
    appendFileSync(join(place.folder, `server-${name}.log`), chunk);
  });
  const closed = once(child, "close");
  const latest = Date.now() + readyMs;
  while (!existsSync(readyFile)) {
    if (endOf(child) !== null) throw new Error(`${version.name} ended with ${endOf(child)} before it was ready: ${said}`);
    if (Date.now() > latest) throw new Error(`${version.name} was not ready within ${readyMs / 1000} s: ${said}`);
    await sleep(20);
  }
  const { adminKey } = JSON.parse(readFileSync(readyFile, "utf8")) as { adminKey: string | null };
  const baseUrl = `http://127.0.0.1:${port}`;
  /** Nothing of a process that ended by itself. */
  const metrics = async () => (endOf(child) === null ? metricsOf(baseUrl) : "");
  return {
    version,
    baseUrl,
    adminKey,
    async answered() {
      const counts = (await metrics()).matchAll(/^playtest_requests_total\{[^}]*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    async stop() {
      const jobs = jobsIn(await metrics());
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), stopMs);
      await closed;
      clearTimeout(limit);
      return { end: endOf(child)!, said, jobs };
    },
  };
}

async function metricsOf(baseUrl: string): Promise<string> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  return (await fetch(`${baseUrl}/metrics`, { headers, signal: AbortSignal.timeout(stopMs) })).text();
}

/** How many jobs of each kind a process ran, and how they ended: `deliver-webhook done`. */
function jobsIn(metrics: string): Map<string, number> {
  const lines = [...metrics.matchAll(/^playtest_job_seconds_count\{([^}]*)\} (\d+)$/gm)];
  return new Map(
    lines.map(([, labels, count]) => [[...labels!.matchAll(/"([^"]*)"/g)].map(([, value]) => value).join(" "), Number(count)]),
  );
}
