import { once } from "node:events";
import { failure } from "../errors.ts";
import type { Io } from "./io.ts";

/** Loaded on demand, because few commands start another program and loading slows every start. */
const spawner = async () => (await import("node:child_process")).spawn;

/**
 * Runs a command line in the shell and returns its exit code. Data is passed only through standard input and the environment, never by
 * substitution, so that untrusted text cannot become a command. Its output goes to standard error; standard output is for our own data.
 */
export async function runShell(io: Io, command: string, input: string, env: Record<string, string>): Promise<number> {
  const spawn = await spawner();
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, cwd: io.cwd(), env: { ...io.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => io.err(chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => io.err(chunk.toString("utf8")));
    child.on("error", (error) => reject(failure(`Cannot start ${command}: ${error.message}.`, undefined, error)));
    child.on("close", (code, signal) => resolve(code ?? (signal ? 1 : 0)));
    // A command that does not read its input closes the pipe. That is not an error.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Runs a command line in the shell and returns its standard output. Its standard error is passed through. */
export async function shellOutput(io: Io, command: string, env: Record<string, string>): Promise<{ code: number; out: string }> {
  const spawn = await spawner();
  const child = spawn(command, { shell: true, cwd: io.cwd(), env: { ...io.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => io.err(chunk.toString("utf8")));
  const stop = () => child.kill();
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    io.signal.throwIfAborted();
    return { code: code ?? 1, out };
  } finally {
    io.signal.removeEventListener("abort", stop);
  }
}

const openers: Record<string, [string, ...string[]]> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a URL with `command` (a program and its arguments) or in the default browser. Returns false if the program cannot start. */
export async function openUrl(io: Io, url: string, command?: string): Promise<boolean> {
  const spawn = await spawner();
  const [given, ...options] = command?.split(/\s+/).filter(Boolean) ?? [];
  const system: [string, ...string[]] = io.env.BROWSER ? [io.env.BROWSER] : (openers[io.platform] ?? ["xdg-open"]);
  const [program, ...args] = given ? [given, ...options] : system;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env: { ...io.env } });
  const opened = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  child.unref();
  return opened;
}
