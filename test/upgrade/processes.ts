import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
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

/** A process of the server. */
export interface Served {
  version: Version;
  baseUrl: string;
  adminKey: string | null;
  /** Stops it as systemd does. Resolves with what it logged of errors and how it ended. */
  stop(): Promise<{ code: number | null; logged: string[]; jobs: Map<string, number> }>;
}

const running = new Set<ChildProcess>();

/** Starts a process of the server, and waits until it is ready. */
export async function serve(version: Version, place: Place, port: number): Promise<Served> {
  const readyFile = join(place.folder, `ready-${port}-${Date.now()}.json`);
  const argv = ["serve", "run", ...where(place), "--port", String(port), "--behind-proxy", "--public-url", place.publicUrl];
  const more = ["--ready-file", readyFile, "--rate-limit", "off", "--log", "json", "--log-level", "warn"];
  const child = spawn(process.execPath, [version.program, ...argv, ...more], {
    cwd: place.folder,
    env: environment(place.folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error(`${version.name} ended with ${child.exitCode} before it was ready: ${said}`);
    await sleep(20);
  }
  const { adminKey } = JSON.parse(readFileSync(readyFile, "utf8")) as { adminKey: string | null };
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    version,
    baseUrl,
    adminKey,
    async stop() {
      const jobs = await jobsOf(baseUrl);
      child.kill("SIGTERM");
      const [code] = (await once(child, "close")) as [number | null];
      running.delete(child);
      return { code, logged: said.split("\n").filter((line) => line.startsWith("{")), jobs };
    },
  };
}

/** How many jobs of each kind a process ran, and how they ended: `deliver-webhook done`. */
async function jobsOf(baseUrl: string): Promise<Map<string, number>> {
  const reply = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  const lines = [...(await reply.text()).matchAll(/^playtest_job_seconds_count\{([^}]*)\} (\d+)$/gm)];
  return new Map(
    lines.map(([, labels, count]) => [[...labels!.matchAll(/"([^"]*)"/g)].map(([, value]) => value).join(" "), Number(count)]),
  );
}

/** Ends what an error left running. */
export async function killLeftovers(): Promise<void> {
  for (const child of running) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
}
