import { once } from "node:events";
import { webUrl } from "../api/url.ts";
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

interface ShellOptions {
  env?: Record<string, string>;
  /** Default: the current directory. */
  cwd?: string;
  /** Drop standard error instead of passing it through. */
  quiet?: boolean;
}

/** Runs a command line in the shell and returns its standard output. */
export async function shellOutput(
  io: Io,
  command: string,
  { env, cwd = io.cwd(), quiet = false }: ShellOptions,
): Promise<{ code: number; out: string }> {
  const spawn = await spawner();
  const child = spawn(command, { shell: true, cwd, env: { ...io.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (!quiet) io.err(chunk.toString("utf8"));
  });
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

/** The system's program for web pages. On Windows by its full path: a bare name is looked for in the current directory first. */
function systemOpener({ env, platform }: Io): [string, ...string[]] {
  if (env.BROWSER) return [env.BROWSER];
  if (platform === "darwin") return ["open"];
  if (platform !== "win32") return ["xdg-open"];
  return [`${env.SystemRoot ?? "C:\\Windows"}\\System32\\rundll32.exe`, "url.dll,FileProtocolHandler"];
}

/**
 * Opens a URL with `command` (a program and its arguments, followed by `more`) or in the default browser: the only way for an address
 * from a server to reach another program. Returns false if the program cannot start; throws if it is not an http or https URL.
 */
export async function openUrl(io: Io, address: string, command?: string, more: readonly string[] = []): Promise<boolean> {
  const { href } = webUrl(address);
  const spawn = await spawner();
  const [given, ...options] = command?.split(/\s+/).filter(Boolean) ?? [];
  const [program, ...args] = given ? [given, ...options] : systemOpener(io);
  const child = spawn(program, [...args, ...more, href], { stdio: "ignore", detached: true, env: { ...io.env } });
  const opened = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  child.unref();
  return opened;
}
