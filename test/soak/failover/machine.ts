import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The programs of this walk, each with the package of Debian that has it. */
const packages: Readonly<Record<string, string>> = {
  nginx: "nginx",
  etcd: "etcd-server",
  patroni: "patroni",
  patronictl: "patroni",
  radosgw: "radosgw",
  "radosgw-admin": "radosgw",
  "ceph-mon": "ceph-mon",
  "ceph-osd": "ceph-osd",
  ceph: "ceph-common",
};
const postgresFolder = "/usr/lib/postgresql";

const isThere = (program: string) => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** The packages of Debian that this machine lacks. */
export function missingPackages(): string[] {
  const missing = Object.entries(packages).flatMap(([program, name]) => (isThere(program) ? [] : [name]));
  return [...new Set([...missing, ...(postgresPrograms() === undefined ? ["postgresql"] : [])])];
}

/** The folder of the newest PostgreSQL's programs. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(postgresFolder)) return undefined;
  const versions = readdirSync(postgresFolder).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(postgresFolder, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** Whom PostgreSQL runs as: it refuses root. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

const running = new Set<ChildProcess>();

export interface Program {
  child: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program that is asked to end at the latest when this process does. What it says is added to the file `log`. */
export function startProgram(command: string, args: readonly string[], log: string, options: SpawnOptions = {}): Program {
  const file = openSync(log, "a");
  const child = spawn(command, args, { stdio: ["ignore", file, file], ...options });
  closeSync(file);
  running.add(child);
  const ended = once(child, "exit").then(() => void running.delete(child));
  return {
    child,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

process.on("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});

/** Waits until it holds; throws an error that names `what` after the time. What it throws means that it does not hold yet. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 120): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await holds().catch(() => false)) return;
    await pause(100);
  }
  throw new Error(`${what}: not within ${seconds} seconds`);
}
