import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Served {
  baseUrl: string;
  ownerKey: string;
  testerKeys: string[];
  gameId: string;
  adminKey: string;
  dataDir: string;
  pid: number;
  stop(): Promise<void>;
}

const cli = join(import.meta.dirname, "../../bin/playtest.js");

/** A folder for a CPU profile of the server: for whoever asks where its time goes, not for figures. */
const profileTo = process.env.PLAYTEST_BENCH_PROFILE;

/** The server as shipped, in a process of its own, with the demo data and its rate limit raised; `settings` is its configuration file. */
export async function serveDemo(flags: string[] = [], settings: object = {}): Promise<Served> {
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  writeFileSync(join(dataDir, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  return startServer(dataDir, ["--seed", "minimal", ...flags], () => rmSync(dataDir, { recursive: true, force: true }));
}

/** Another process of the server `first`, which must use PostgreSQL. */
export const serveAnother = (first: Served, flags: string[]): Promise<Served> =>
  startServer(first.dataDir, ["--sandbox", ...flags], () => {});

/** A server on a data folder that is kept when it stops. */
export const serveIn = (dataDir: string, flags: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> =>
  startServer(dataDir, flags, () => {}, env);

async function startServer(
  dataDir: string,
  flags: readonly string[],
  afterwards: () => void,
  env: NodeJS.ProcessEnv = {},
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const readyFile = join(folder, "ready.json");
  const args = [
    ...(profileTo ? ["--cpu-prof", "--cpu-prof-dir", profileTo] : []),
    ...[cli, "serve", "run", "--port", "0", "--data", dataDir, "--ready-file", readyFile, "--rate-limit", "1000000", ...flags],
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", openSync(join(folder, "log"), "w")],
    env: { ...process.env, NODE_ENV: "production", ...env },
  });
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null)
      throw new Error(
        `the server ended with ${child.exitCode} before it was ready: ${readFileSync(join(folder, "log"), "utf8")}`,
      );
    await sleep(20);
  }
  const ready = JSON.parse(readFileSync(readyFile, "utf8"));
  return {
    ...ready,
    dataDir,
    pid: child.pid!,
    async stop() {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
      afterwards();
    },
  };
}

/** A small peer server of the same benchmark, in a process of its own: prints its port when it listens. */
export async function servePeer(file: string, args: string[]): Promise<{ baseUrl: string; pid: number; stop(): Promise<void> }> {
  const profile = profileTo ? ["--cpu-prof", "--cpu-prof-dir", join(profileTo, "peer")] : [];
  const child = spawn(process.execPath, [...profile, "--import", "tsx", join(import.meta.dirname, file), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return { baseUrl: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
