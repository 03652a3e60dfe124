import { rmSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Outside } from "../../src/cli/context.ts";
import type { ProcessLike } from "../../src/io/io.ts";
import { main } from "../../src/main.ts";
import { afterEachTest } from "./after-each.ts";
import { startTime } from "./server.ts";
import { freshFolder } from "./store.ts";

/** What one run of the program left behind. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Milliseconds it waited, in all. */
  waited: number;
}

export interface RunOptions {
  baseUrl?: string | undefined;
  key?: string | undefined;
  env?: Record<string, string>;
  stdin?: string;
  /** Which streams are terminals; default none. */
  tty?: boolean | { stdin?: boolean; stdout?: boolean; stderr?: boolean };
  columns?: number;
  cwd?: string;
  now?: number;
  outside?: Partial<Outside>;
  /** Called with each chunk of standard output, for commands that go on for ever. */
  onOutput?: (text: string, process: FakeProcess) => void;
}

const folders: string[] = [];
/** Ids go on counting within a test: two runs must not share an idempotency key. */
let ids = 0;

/** A new folder, in memory where possible, removed after the test. */
export function testFolder(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}

afterEachTest(() => {
  ids = 0;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

class Captured extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number;
  onText: (text: string) => void = () => {};
  constructor(isTTY: boolean, columns: number) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }
  override _write(chunk: Buffer, _: string, done: () => void) {
    this.text += chunk.toString();
    this.onText(this.text);
    done();
  }
}

/** A process whose streams are captured and whose signals are sent by the test. */
export class FakeProcess implements ProcessLike {
  readonly env: Record<string, string | undefined>;
  readonly stdin: ProcessLike["stdin"];
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly platform = "linux";
  readonly pid = 4711;
  readonly killedBy: string[] = [];
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #cwd: string;

  constructor({ env, stdin, tty, columns, cwd }: RunOptions & { env: Record<string, string>; cwd: string }) {
    const is = typeof tty === "object" ? tty : { stdin: tty === true, stdout: tty === true, stderr: tty === true };
    this.env = env;
    this.#cwd = cwd;
    this.stdin = Object.assign(Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]), { isTTY: is.stdin === true });
    this.stdout = new Captured(is.stdout === true, columns ?? 100);
    this.stderr = new Captured(is.stderr === true, columns ?? 100);
  }
  cwd() {
    return this.#cwd;
  }
  once(event: string, listener: () => void) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }
  removeListener(event: string, listener: () => void) {
    this.#listeners.get(event)?.delete(listener);
  }
  kill(_: number, signal: string) {
    this.killedBy.push(signal);
  }
  /** Sends a signal, as a person pressing Ctrl-C does. */
  signal(name: "SIGINT" | "SIGTERM") {
    const waiting = [...(this.#listeners.get(name) ?? [])];
    this.#listeners.set(name, new Set());
    for (const listener of waiting) listener();
  }
  /** Listeners still attached: none after the program ended. */
  get listening() {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}

/**
 * Runs one command line in this process against a base URL. The time is always the test server's start, waiting takes none,
 * ids count up within a test, and settings live in a folder of their own unless `env` names one.
 */
export async function playtest(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const folder = testFolder();
  const env = {
    HOME: folder,
    PLAYTEST_CONFIG_DIR: join(folder, "config"),
    ...(options.baseUrl && { PLAYTEST_BASE_URL: options.baseUrl }),
    ...(options.key && { PLAYTEST_API_KEY: options.key }),
    ...options.env,
  };
  const process = new FakeProcess({ ...options, env, cwd: options.cwd ?? folder });
  process.stdout.onText = (text) => options.onOutput?.(text, process);
  let now = options.now ?? startTime;
  let waited = 0;
  const outside: Outside = {
    now: () => now,
    random: () => 0.5,
    newId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waited += ms;
      now += ms;
    },
    keyring: () => undefined,
    systemHome: () => folder,
    ...options.outside,
  };
  const code = await main(argv, process, outside);
  if (process.listening > 0) throw new Error(`${process.listening} signal listeners were left behind`);
  return { code, stdout: process.stdout.text, stderr: process.stderr.text, waited };
}

/** A wait without end: only a signal ends it. */
export const untilStopped: Outside["sleep"] = (_, signal) =>
  new Promise((_, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** The program with some options already given. */
export const playtestWith =
  (fixed: RunOptions) =>
  (argv: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    playtest(argv, { ...fixed, ...options, env: { ...fixed.env, ...options.env } });

/** `playtest studio`: the address that it printed, and how to stop it. Rejects if it ends before it printed one. */
export async function startStudio(
  options: RunOptions,
  flags: readonly string[] = [],
): Promise<{ url: string; stop(): Promise<Ran> }> {
  let process: FakeProcess | undefined;
  let ended: Promise<Ran>;
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (text: string, own: FakeProcess) => {
      process = own;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    };
    ended = playtest(["studio", "--no-open", ...flags], { ...options, onOutput });
    ended.then((ran) => reject(new Error(`ended: ${ran.stderr}`)), reject);
  });
  const stop = () => {
    process!.signal("SIGINT");
    return ended;
  };
  return { url, stop };
}
