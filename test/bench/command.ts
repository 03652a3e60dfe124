import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Served } from "./serve.ts";

const cli = join(import.meta.dirname, "../../bin/playtest.js");

/** The most memory a process ever held (bytes); undefined once it ended. Linux only, as the benchmarks are. */
export function peakMemory(pid: number): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

export interface Ran {
  seconds: number;
  /** Bytes. */
  peakMemory: number;
  stdout: string;
}

/** Runs the command as a user does, against `served`; throws unless it ends with 0. */
export async function playtest(served: Served, key: string, args: readonly string[]): Promise<Ran> {
  const started = performance.now();
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PLAYTEST_API_KEY: key,
      PLAYTEST_BASE_URL: served.baseUrl,
      PLAYTEST_CONFIG_DIR: join(served.dataDir, "config"),
    },
  });
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, peakMemory(child.pid!) ?? 0);
  }, 20);
  const [stdout, stderr, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), endOf(child)]);
  clearInterval(looking);
  if (code !== 0) throw new Error(`playtest ${args.join(" ")} ended with ${code}: ${stderr.slice(-2_000)}`);
  return { seconds: (performance.now() - started) / 1000, peakMemory: peak, stdout };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}

const endOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("exit", resolve));
