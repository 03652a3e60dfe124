import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** A program failed: a retry would most likely fail too. The message gives the reason, for the log. */
export class ProgramFailed extends Error {
  override name = "ProgramFailed";
}

export interface ProgramOptions {
  timeoutMs: number;
  maxOutputBytes: number;
  /** The folder it runs in. */
  cwd?: string;
  /** Passes on only what a program needs to find others and to print text, and none of the server's secrets. */
  withoutSecrets?: boolean;
}

const stderrChars = 2_000;
const pipeGraceMs = 1_000;

/**
 * Starts the program together with a watcher in the same process group. File descriptor 3 is a pipe whose other end only the server
 * holds open. It closes when the server ends, for whatever reason, and the watcher then kills the group. The program is passed as
 * arguments and never parsed as a script.
 */
const launcher = (before: string) => `(read -r _ <&3; kill -s KILL 0) </dev/null >/dev/null 2>&1 & exec ${before}"$@" 3<&-`;
const withAll = launcher("");
const withFew = launcher('env -i "PATH=$PATH" LANG=C.UTF-8 ');
/** Exit codes of a shell that cannot start a program: not executable, not found. */
const notStartedCodes = [126, 127];

/**
 * Runs a program with its arguments and returns what it prints. No shell parses them. The program has a process group of its own, which
 * is killed when the program exits, times out or prints too much, and when the server ends. Rejects with ProgramFailed, or with the
 * signal's reason when stopped.
 */
export async function runProgram(command: readonly string[], options: ProgramOptions, stop: AbortSignal): Promise<string> {
  stop.throwIfAborted();
  const child = spawn("/bin/sh", ["-c", options.withoutSecrets ? withFew : withAll, "program", ...command], {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  return collect(child, options, stop);
}

function collect(child: ChildProcess, { timeoutMs, maxOutputBytes }: ProgramOptions, stop: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    let failure: unknown;
    const end = (reason: unknown) => {
      failure ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => end(new ProgramFailed(`the program ran longer than ${timeoutMs} ms`)), timeoutMs);
    const stopped = () => end(stop.reason);
    stop.addEventListener("abort", stopped, { once: true });

    child.stdout!.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) return end(new ProgramFailed(`the program printed more than ${maxOutputBytes} bytes`));
      chunks.push(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk).slice(-stderrChars);
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
      if (notStartedCodes.includes(code ?? 0))
        return reject(new ProgramFailed(`the program could not be started: ${stderr.trim()}`));
      if (code !== 0)
        return reject(new ProgramFailed(`the program ended with ${signal ?? `exit code ${code}`}: ${stderr.trim()}`));
      resolve(Buffer.concat(chunks).toString());
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
