import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { type Transcriber, TranscriptionFailed } from "./transcriber.ts";

export interface CommandOptions {
  /** Program and arguments; `{video}` stands for the path, which comes last where no argument has it. */
  command: readonly string[];
  timeoutMs: number;
  maxOutputBytes: number;
}

const stderrChars = 2_000;
const lingerMs = 1_000;

/**
 * Starts the command in its own place, beside a watcher in the same process group: file 3 is a pipe that only the server holds open, so
 * that it ends with the server however that dies, and the watcher then kills the group. The command's words are arguments, never script.
 */
const launcher = '(read -r _ <&3; kill -s KILL 0) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';
/** What a shell ends with when it cannot start a program: not allowed, not found. */
const notStarted = [126, 127];

/**
 * Runs a configured program for each video and takes what it prints. No shell parses the path. The program has a process
 * group of its own, which ends with it: at the time-out, on too much output, when it leaves children behind, and with the server.
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
    let complaint = "";
    let why: unknown;
    const end = (reason: unknown) => {
      why ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => end(new TranscriptionFailed(`it ran longer than ${timeoutMs} ms`)), timeoutMs);
    const stopped = () => end(stop.reason);
    stop.addEventListener("abort", stopped, { once: true });

    child.stdout!.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) return end(new TranscriptionFailed(`it printed more than ${maxOutputBytes} bytes`));
      chunks.push(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk).slice(-stderrChars);
    });
    child.once("error", (error) => {
      why ??= new TranscriptionFailed(`it could not be started: ${error.message}`, { cause: error });
    });
    child.once("exit", () => {
      killGroup(child);
      (child.stdio[3] as Readable).destroy();
      // Somebody who left the group may still hold the pipes.
      setTimeout(() => void [child.stdout!.destroy(), child.stderr!.destroy()], lingerMs).unref();
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      stop.removeEventListener("abort", stopped);
      if (why !== undefined) return reject(why);
      if (notStarted.includes(code ?? 0)) return reject(new TranscriptionFailed(`it could not be started: ${complaint.trim()}`));
      if (code !== 0)
        return reject(new TranscriptionFailed(`it ended with ${signal ?? `exit code ${code}`}: ${complaint.trim()}`));
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
