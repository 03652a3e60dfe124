import { isAbsolute, join } from "node:path";
import { failure } from "../errors.ts";
import { hasGroups, signalGroup } from "./group.ts";
import type { Io } from "./io.ts";
import { lines } from "./text.ts";

interface ProgramOptions {
  /** The folder it runs in. */
  cwd: string;
  timeoutMs: number;
  maxOutputBytes: number;
}

const shownChars = 2_000;

/** A program that is named by a path is looked for from the folder of the command, not from the one it runs in. */
const located = (io: Io, program: string) => (/[\\/]/.test(program) && !isAbsolute(program) ? join(io.cwd(), program) : program);

/** The API key, and whatever else is meant for this command alone, is not for a program that reads what strangers sent. */
const withoutOurs = ({ env }: Io) => Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("PLAYTEST_")));

/**
 * Runs a program with arguments, without a shell, and returns what it prints. Its group of processes ends with its time, and with the
 * command. When it fails, the error says why and shows the end of what it said on standard error.
 */
export async function programOutput(
  io: Io,
  [program, ...args]: readonly [string, ...string[]],
  { cwd, timeoutMs, maxOutputBytes }: ProgramOptions,
): Promise<string> {
  const { spawn } = await import("node:child_process");
  io.signal.throwIfAborted();
  const ownGroup = hasGroups(io);
  const child = spawn(located(io, program), args, {
    cwd,
    env: withoutOurs(io),
    stdio: ["ignore", "pipe", "pipe"],
    detached: ownGroup,
  });
  const output: Buffer[] = [];
  let [size, said, why] = [0, "", ""];
  const kill = () => signalGroup(child, ownGroup, "SIGKILL");
  const end = (reason: string) => {
    why ||= reason;
    kill();
  };
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutputBytes) end(`printed more than ${maxOutputBytes} bytes`);
    else output.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-shownChars);
  });
  const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} seconds`), timeoutMs);
  io.signal.addEventListener("abort", kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", (error) =>
        reject(failure(`Cannot start ${program}: ${error.message}. Nothing was changed.`, undefined, error)),
      );
      // What it leaves behind may hold its output open.
      child.on("exit", kill);
      child.on("close", resolve);
    });
    io.signal.throwIfAborted();
    if (code !== 0) why ||= code === null ? "was ended by a signal" : `ended with code ${code}`;
  } finally {
    clearTimeout(timer);
    io.signal.removeEventListener("abort", kill);
  }
  if (why === "") return Buffer.concat(output).toString("utf8");
  const heard = lines(said).trim();
  throw failure(`${program} ${why}. Nothing was changed.${heard && ` It said:\n${heard}`}`);
}
