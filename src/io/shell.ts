import { once } from "node:events";
import { webUrl } from "../api/url.ts";
import { failure } from "../errors.ts";
import { hasGroups, signalGroup } from "./group.ts";
import type { Io } from "./io.ts";

/** Loaded on demand, because few commands start another program and loading slows every start. */
const spawner = async () => (await import("node:child_process")).spawn;

interface Running {
  env?: Record<string, string>;
  /** Default: the current directory. */
  cwd?: string;
  /** Its standard input; default: nothing. */
  input?: string;
  /** Gets what it writes to standard output. */
  out(text: string): unknown;
  /** Gets what it writes to standard error. */
  err(text: string): unknown;
}

/**
 * Runs a command line in the shell and returns its exit code. Data is passed only through standard input and the environment, never by
 * substitution, so that untrusted text cannot become a command. What the shell started ends with this command: without a terminal it is a
 * group of its own. On a terminal it stays in ours, which Ctrl+C reaches as a whole, because it may ask for a password there.
 */
async function inShell(io: Io, command: string, { env, cwd = io.cwd(), input = "", out, err }: Running): Promise<number> {
  const spawn = await spawner();
  io.signal.throwIfAborted();
  const detached = hasGroups(io) && !Object.values(io.terminal).some(Boolean);
  const child = spawn(command, { shell: true, cwd, env: { ...io.env, ...env }, stdio: ["pipe", "pipe", "pipe"], detached });
  child.stdout.setEncoding("utf8").on("data", out);
  child.stderr.setEncoding("utf8").on("data", err);
  // A command that does not read its input closes the pipe. That is not an error.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const stop = () => signalGroup(child, detached, "SIGTERM");
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    io.signal.throwIfAborted();
    return code ?? 1;
  } catch (error) {
    io.signal.throwIfAborted();
    throw failure(`Cannot start ${command}: ${(error as Error).message}.`, undefined, error);
  } finally {
    io.signal.removeEventListener("abort", stop);
  }
}

/** Runs a command line in the shell and returns its exit code. Its output goes to standard error: standard output is for our own data. */
export function runShell(io: Io, command: string, input: string, env: Record<string, string>): Promise<number> {
  const print = (text: string) => io.err(text);
  return inShell(io, command, { env, input, out: print, err: print });
}

interface ShellOptions extends Partial<Pick<Running, "env" | "cwd" | "input">> {
  /** Drop standard error instead of passing it through. */
  quiet?: boolean;
}

/** Runs a command line in the shell and returns its exit code and standard output. */
export async function shellOutput(
  io: Io,
  command: string,
  { quiet = false, ...options }: ShellOptions,
): Promise<{ code: number; out: string }> {
  const printed: string[] = [];
  const err = (text: string) => quiet || io.err(text);
  const code = await inShell(io, command, { ...options, err, out: (text) => printed.push(text) });
  return { code, out: printed.join("") };
}

/** The system's program for web pages. On Windows by its full path: a bare name is looked for in the current directory first. */
function systemOpener({ env, platform }: Io): [string, ...string[]] {
  if (env.BROWSER) return [env.BROWSER];
  if (platform === "darwin") return ["open"];
  if (platform !== "win32") return ["xdg-open"];
  return [`${env.SystemRoot ?? "C:\\Windows"}\\System32\\rundll32.exe`, "url.dll,FileProtocolHandler"];
}

/** Starts a program that keeps running. False if it cannot start. */
async function start(io: Io, program: string, args: readonly string[]): Promise<boolean> {
  const spawn = await spawner();
  const child = spawn(program, args, { stdio: "ignore", detached: true, env: { ...io.env } });
  const opened = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  child.unref();
  return opened;
}

/** Starts `command`, a program and its arguments, with more of them. False if it cannot start. */
export function startCommand(io: Io, command: string, more: readonly string[]): Promise<boolean> {
  const [program = "", ...args] = command.split(/\s+/).filter(Boolean);
  return start(io, program, [...args, ...more]);
}

/**
 * Opens a URL with `command` (a program and its arguments) or in the default browser. Returns false if the program cannot start; throws if
 * it is not an http or https URL. Other users of the computer can see the URL among the program's arguments: for one that is secret there
 * is `openSecretUrl`.
 */
export async function openUrl(io: Io, address: string, command?: string): Promise<boolean> {
  const { href } = webUrl(address);
  if (command?.trim()) return startCommand(io, command, [href]);
  const [program, ...args] = systemOpener(io);
  return start(io, program, [...args, href]);
}

/** For how many seconds a browser may take to read the page that leads it on. */
const readWithinSeconds = 60;

/** Removes a folder a while after this process ended. */
const removeLater = (io: Io, folder: string) =>
  start(io, "/bin/sh", ["-c", 'sleep "$1"; rm -rf -- "$2"', "sh", String(readWithinSeconds), folder]);

/**
 * As `openUrl`, in the default browser, without showing the URL to other users of the computer: the program gets a file that only this user
 * can read and that leads on to the URL. `used` says when the file can go; without it, that is in a minute. On Windows only administrators
 * see the arguments of others' programs.
 */
export async function openSecretUrl(io: Io, address: string, used?: Promise<unknown>): Promise<boolean> {
  const { href } = webUrl(address);
  if (io.platform === "win32") return openUrl(io, href);
  const { privatePage } = await import("./files/private-page.ts");
  const page = await privatePage(io, href);
  const [program, ...args] = systemOpener(io);
  const opened = await start(io, program, [...args, page.href]);
  if (!opened) await page.remove();
  else if (used) void used.then(page.remove);
  else await removeLater(io, page.folder);
  return opened;
}
