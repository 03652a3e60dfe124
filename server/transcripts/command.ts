import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { type Transcriber, TranscriptionFailed } from "./transcriber.ts";

export interface CommandOptions {
  /** Program and arguments. `{video}` in an argument is replaced by the path; without it the path is the last argument. */
  command: readonly string[];
  timeoutMs: number;
  maxOutputBytes: number;
}

const stderrChars = 2_000;
const pipeGraceMs = 1_000;

/**
 * Starts the command together with a watcher in the same process group. File descriptor 3 is a pipe whose other end only the server
 * holds open. It closes when the server ends, for whatever reason, and the watcher then kills the group. The command is passed as
 * arguments and never parsed as a script.
 */
const launcher = '(read -r _ <&3; kill -s KILL 0) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';
/** Exit codes of a shell that cannot start a program: not executable, not found. */
const notStartedCodes = [126, 127];

/**
 * Runs a configured program for each video and returns what it prints. No shell parses the path. The program has a process group of
 * its own, which is killed when the program exits, times out or prints too much, and when the server ends.
 */
export function createCommandTranscriber(options: CommandOptions): Transcriber {
  return {
    async transcribe(videoPath, stop) {
      stop.throwIfAborted();
      const args = ["-c", launcher, "transcriber", ...argumentsFor(options.command, videoPath)];
      const child = spawn("/bin/sh", args, {
        cwd: dirname(videoPath),
        detached: true,
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      });
      return collect(child, options, stop);
    },
  };
}

function argumentsFor(command: readonly string[], videoPath: string): string[] {
  const placed = command.map((argument, index) => (index === 0 ? argument : argument.replaceAll("{video}", videoPath)));
  return command.slice(1).some((argument) => argument.includes("{video}")) ? placed : [...placed, videoPath];
}

function collect(child: ChildProcess, { timeoutMs, maxOutputBytes }: CommandOptions, stop: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    let failure: unknown;
    const end = (reason: unknown) => {
      failure ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => end(new TranscriptionFailed(`the program ran longer than ${timeoutMs} ms`)), timeoutMs);
    const stopped = () => end(stop.reason);
    stop.addEventListener("abort", stopped, { once: true });

    child.stdout!.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) return end(new TranscriptionFailed(`the program printed more than ${maxOutputBytes} bytes`));
      chunks.push(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk).slice(-stderrChars);
    });
    child.once("error", (error) => {
      failure ??= new TranscriptionFailed(`the program could not be started: ${error.message}`, { cause: error });
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
        return reject(new TranscriptionFailed(`the program could not be started: ${stderr.trim()}`));
      if (code !== 0)
        return reject(new TranscriptionFailed(`the program ended with ${signal ?? `exit code ${code}`}: ${stderr.trim()}`));
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
