import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** What a program ran into: its time, or its memory or that of the machine. */
type ProgramLimit = "time" | "memory";

/** A program failed: a retry would most likely fail too. The message gives the reason, for the log. */
export class ProgramFailed extends Error {
  override name = "ProgramFailed";
  readonly limit: ProgramLimit | undefined;
  constructor(message: string, options: ErrorOptions & { limit?: ProgramLimit } = {}) {
    super(message, options);
    this.limit = options.limit;
  }
}

export interface ProgramOptions {
  timeoutMs: number;
  maxOutputBytes: number;
  /** The most memory that each of its processes may allocate, on Linux. Null: no limit. */
  memoryBytes: number | null;
  /** The folder it runs in. */
  cwd?: string;
  /** The names of the server's environment variables that it gets, besides those by which it finds other programs and prints text. */
  environment?: readonly string[];
}

const stderrChars = 2_000;

/** The beginning, where the reason often stands, and the end of what a program said. */
const shortened = (said: string): string =>
  said.length <= stderrChars ? said : `${said.slice(0, stderrChars / 2)}…${said.slice(1 - stderrChars / 2)}`;

const pipeGraceMs = 1_000;

/**
 * Starts the program together with a watcher in the same process group. File descriptor 3 is a pipe whose other end only the server
 * holds open. It closes when the server ends, for whatever reason, and the watcher then kills the group. The program is passed as
 * arguments and never parsed as a script.
 *
 * It yields to the server: others get the processor first, and when memory runs out, Linux ends it first. The first argument is the most
 * that a process may allocate, in KiB: its data (RLIMIT_DATA), which unlike its address space leaves out what is only reserved, such as by
 * CUDA and Node.js. Where a system lacks one of these, the program runs without it: macOS has no such limit.
 */
const launcher = `(read -r _ <&3; kill -s KILL 0) </dev/null >/dev/null 2>&1 &
{ echo 1000 >/proc/self/oom_score_adj; ulimit -d "$1"; } 2>/dev/null
shift
command -v nice >/dev/null && set -- nice -n 10 "$@"
exec "$@" 3<&-`;
/** Exit codes of a shell that cannot start a program: not executable, not found. */
const notStartedCodes = [126, 127];

/** What programs in several languages, and decoders of ffmpeg, say on standard error when they get no memory. */
const noMemory =
  /cannot allocate memory|out of memory|bad_alloc|MemoryError|malloc[^\n]* failed|allocation (of \d+ bytes )?failed|get_buffer\(\) failed|memory exhausted/i;

/**
 * Starts the launcher, and so its watcher too, without the server's environment, which has secrets. The script is made of nothing but the
 * names of variables. Later values replace earlier ones.
 */
const starter = (names: readonly string[]) =>
  `exec env -i "PATH=$PATH" LANG=C.UTF-8 ${names.map((name) => `\${${name}+"${name}=$${name}"}`).join(" ")} /bin/sh -c "$0" "$@"`;

/**
 * Runs a program with its arguments and returns what it prints. No shell parses them. The program gets none of the server's secrets. It has
 * a process group of its own, which is killed when the program exits, times out or prints too much, and when the server ends. Rejects with
 * ProgramFailed, or with the signal's reason when stopped.
 */
export async function runProgram(command: readonly string[], options: ProgramOptions, stop: AbortSignal): Promise<string> {
  stop.throwIfAborted();
  const { cwd, environment = [], memoryBytes } = options;
  const memory = memoryBytes === null ? "unlimited" : String(Math.floor(memoryBytes / 1024));
  const child = spawn("/bin/sh", ["-c", starter(environment), launcher, "program", memory, ...command], {
    ...(cwd !== undefined && { cwd }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  return collect(child, options, stop);
}

function collect(child: ChildProcess, options: ProgramOptions, stop: AbortSignal): Promise<string> {
  const { timeoutMs, maxOutputBytes } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    let failure: unknown;
    const end = (reason: unknown) => {
      failure ??= reason;
      killGroup(child);
    };
    const late = () => end(new ProgramFailed(`the program ran longer than ${timeoutMs} ms`, { limit: "time" }));
    const timer = setTimeout(late, timeoutMs);
    const stopped = () => end(stop.reason);
    stop.addEventListener("abort", stopped, { once: true });

    child.stdout!.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) return end(new ProgramFailed(`the program printed more than ${maxOutputBytes} bytes`));
      chunks.push(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      stderr = shortened(stderr + chunk);
    });
    child.once("error", (error) => {
      failure ??= new ProgramFailed(`the program could not be started: ${error.message}`, { cause: error });
    });
    child.once("exit", () => {
      killGroup(child);
      (child.stdio[3] as Readable).destroy();
      // A child process that left the group may still hold the pipes open.
      setTimeout(() => void [child.stdout!.destroy(), child.stderr!.destroy()], pipeGraceMs).unref();
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      stop.removeEventListener("abort", stopped);
      if (failure !== undefined) return reject(failure);
      const ending = { code, signal, stderr: stderr.trim() };
      if (code !== 0) return reject(failureOf(ending, options));
      resolve(Buffer.concat(chunks).toString());
    });
  });
}

interface Ending {
  code: number | null;
  signal: string | null;
  stderr: string;
}

/** Why a program failed. One that the system killed had taken the memory of the machine. */
function failureOf({ code, signal, stderr }: Ending, { memoryBytes }: ProgramOptions): ProgramFailed {
  if (notStartedCodes.includes(code ?? 0)) return new ProgramFailed(`the program could not be started: ${stderr}`);
  const how = `ended with ${signal ?? `exit code ${code}`}: ${stderr}`;
  if (signal !== "SIGKILL" && !noMemory.test(stderr)) return new ProgramFailed(`the program ${how}`);
  const most = memoryBytes === null ? "" : ` (it may take ${memoryBytes} bytes)`;
  return new ProgramFailed(`the program ran out of memory${most} and ${how}`, { limit: "memory" });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
