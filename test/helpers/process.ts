import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { inject } from "vitest";

/** What the tests start. See setup/program.ts. */
export const program = inject("program");
/** A setting: passwords as cheap to hash as a server allows. */
export const cheapPasswords = { scryptLogN: 14 };
const running = new Set<ChildProcess>();

export interface Spawned {
  child: ChildProcess;
  /** Resolves when it ended. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts the program as a process of its own; its settings live in `folder`. `limits`: flags of `ulimit`, such as `-n 64`. */
export function spawnPlaytest(
  folder: string,
  argv: readonly string[],
  env: Record<string, string> = {},
  limits?: string,
): Spawned {
  const line = [process.execPath, program, ...argv];
  const [command, ...rest] = limits === undefined ? line : ["sh", "-c", `ulimit ${limits}; exec "$@"`, "sh", ...line];
  const child = spawn(command!, rest, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, PLAYTEST_CONFIG_DIR: join(folder, "config"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]!.on("data", (chunk: Buffer) => {
      texts[name] += chunk.toString();
    });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return { code: code as number | null, ...texts };
  });
  return { child, ended };
}

/** Kills what a test left running. */
export async function killLeftovers(): Promise<void> {
  for (const child of running) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
}

/** What a server wrote to its ready file, once it is there. */
export async function readyFile(
  path: string,
): Promise<{ baseUrl: string; pid: number; adminKey: string | null; ownerKey?: string; testerKeys?: string[]; gameId?: string }> {
  const watcher = watch(dirname(path));
  try {
    while (!existsSync(path)) await once(watcher, "change");
  } finally {
    watcher.close();
  }
  return JSON.parse(readFileSync(path, "utf8"));
}
