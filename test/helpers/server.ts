import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Running, start } from "../../server/app/start.ts";
import { createCards } from "../../server/billing/cards/create.ts";
import { defaults } from "../../server/config/defaults.ts";
import type { Config } from "../../server/config/schema.ts";
import type { MovableClock } from "../../server/database/clock.ts";
import type { Store } from "../../server/database/port.ts";
import type { Log } from "../../server/lib/log.ts";
import type { Tracer } from "../../server/lib/trace.ts";
import type { Mail, Mailer } from "../../server/mail/mailer.ts";
import type { BackUp } from "../../server/operations/backups/types.ts";
import type { Resolve } from "../../server/outbound/types.ts";
import type { Transcriber } from "../../server/transcripts/transcriber.ts";
import type { Bucket } from "../../server/uploads/s3/bucket.ts";
import { freshFolder } from "./store.ts";

export const startTime = Date.parse("2026-03-01T12:00:00.000Z");

/** Whatever serves the API somewhere. */
export interface Node {
  baseUrl: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
}

export const nodeAt = (baseUrl: string): Node => ({
  baseUrl,
  request: (method, path, options) => request(baseUrl, method, path, options),
});

export interface TestServer extends Running, Node {
  clock: TestClock;
  /** Mails the server sent. */
  mails: Mail[];
  /** Addresses whose mail is refused, and the error. */
  refusals: Map<string, Error>;
  /** Unexpected server errors; `close` fails when one is left. Take them out where a test provokes one. */
  errors: unknown[];
  /** What the server logged, a line each. */
  lines: string[];
  /** Runs what is due now and everything up to `ms` later, in order of time. */
  advance(ms: number): Promise<void>;
}

export interface RequestOptions {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // A reply's shape is what the test is about to check.
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  body: any;
  text: string;
}

export interface TestClock extends MovableClock {
  set(now: number): void;
}

/** A clock that moves only when the test moves it. */
export function createTestClock(at = startTime): TestClock {
  let now = at;
  const set = (to: number) => {
    now = Math.max(now, to);
  };
  let booked = 0;
  const book = async (ms: number) => {
    booked = Math.max(booked, now) + ms;
    return booked;
  };
  return { now: () => now, real: () => now, set, moveTo: async (to) => set(to), book };
}

/** Random bytes that are the same in every run, and differ from call to call. */
export function createTestRandom(seed = "playtest"): (count: number) => Buffer {
  let calls = 0;
  return (count) => {
    const blocks: Buffer[] = [];
    for (let size = 0; size < count; size += 32) blocks.push(createHash("sha256").update(`${seed} ${calls++}`).digest());
    return Buffer.concat(blocks).subarray(0, count);
  };
}

function createTestMailer(delivers: boolean): Mailer & Pick<TestServer, "mails" | "refusals"> {
  const [mails, refusals]: [Mail[], Map<string, Error>] = [[], new Map()];
  async function send(mail: Mail) {
    const error = refusals.get(mail.to);
    if (error) throw error;
    mails.push(mail);
  }
  return { name: "test", delivers, mails, refusals, send, close: async () => {} };
}

export function createTestLog(): Log & { errors: unknown[]; lines: string[] } {
  const errors: unknown[] = [];
  const lines: string[] = [];
  const note = (fields: Record<string, unknown>, message?: string) => void lines.push(JSON.stringify({ message, ...fields }));
  const error = (fields: Record<string, unknown>, message?: string) => {
    note(fields, message);
    errors.push(fields.err ?? message);
  };
  return { errors, lines, debug: note, info: note, warn: note, access: note, error };
}

export interface TestServerOptions {
  store: Store;
  /** What the server sees of the store. */
  through?: (store: Store) => Store;
  config?: (config: Config) => void;
  clock?: TestClock;
  /** Where uploads and blobs are; a new folder unless given, gone when the run ends. */
  dataDir?: string;
  /** Where files are stored that are not kept in that folder. */
  bucket?: Bucket;
  /** Tells apart the servers that share a database: each makes ids of its own. */
  instance?: string;
  /** Transcribes videos where no transcriber is configured. */
  transcriber?: Transcriber;
  /** Makes the backups of the configuration. */
  backUp?: BackUp;
  /** What names stand for, instead of what the system says. */
  resolve?: Resolve;
  /** Whether mail leaves the machine, as with an SMTP server. It is kept in memory in any case. */
  delivers?: boolean;
  /** Sends spans to a collector. */
  tracer?: Tracer;
  /** A free one unless given. */
  port?: number;
}

/** The real server on a free port, with a clock that only the test moves, repeatable randomness and mail kept in memory. */
export async function startTestServer({
  store: opened,
  through = (store) => store,
  config: change,
  clock = createTestClock(),
  dataDir = freshFolder(),
  bucket,
  instance,
  resolve,
  transcriber,
  tracer,
  backUp,
  port = 0,
  delivers = true,
}: TestServerOptions): Promise<TestServer> {
  const store = through(opened);
  const config = structuredClone(defaults);
  config.strict = true;
  config.sandbox = true;
  config.autoVerify = true;
  config.limits.enabled = false;
  config.payouts.holdDays = 0;
  config.payouts.detailsHoldHours = 0;
  config.passwords.scryptLogN = 4;
  config.http.drainMs = 500;
  change?.(config);
  const mailer = createTestMailer(delivers);
  const log = createTestLog();
  const randomBytes = createTestRandom(instance);
  const external = {
    config,
    store,
    clock,
    randomBytes,
    instanceKey: createTestRandom("instance key")(32),
    mailer,
    log,
    dataDir,
    ...(bucket && { bucket }),
    ...(resolve && { resolve }),
    ...(transcriber && { transcriber }),
    ...(tracer && { tracer }),
    ...(backUp && { backUp }),
    cards: await createCards(config),
  };
  const running = await start({ place: { host: "127.0.0.1", port }, external });
  const errors = log.errors;

  return {
    ...running,
    clock,
    mails: mailer.mails,
    refusals: mailer.refusals,
    errors,
    lines: log.lines,
    ...nodeAt(running.baseUrl),
    async advance(ms) {
      await running.deps.jobs.advance(clock.now() + ms, clock.moveTo);
    },
    async close() {
      await running.close();
      // The tus store makes its folder in the background, and taking that away under it would end the test run.
      rmSync(join(dataDir, "blobs"), { recursive: true, force: true });
      if (errors.length > 0)
        throw new AggregateError(errors, `the server met ${errors.length} unexpected error(s): ${errors.map(String).join("; ")}`);
    },
  };
}

/** One JSON call as an API user makes it. `path` is below `/api/v1`, or a page when it starts with `//`. */
async function request(baseUrl: string, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers.authorization = `Bearer ${options.key}`;
  if (options.body !== undefined) headers["content-type"] ??= "application/json";
  const url = path.startsWith("//") ? baseUrl + path.slice(1) : `${baseUrl}/api/v1${path}`;
  const body =
    options.body === undefined ? undefined : typeof options.body === "string" ? options.body : JSON.stringify(options.body);
  const response = await fetch(url, { method, headers, body, redirect: "manual" });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, text, body: json && text !== "" ? JSON.parse(text) : undefined };
}
