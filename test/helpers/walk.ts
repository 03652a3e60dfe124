import { afterAll, beforeAll } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { tree } from "../../src/cli/tree.ts";
import { afterEachTest } from "./after-each.ts";
import { playtest, type Ran, type RunOptions } from "./cli.ts";
import { type Call, everyCommand, everyWorld, type World } from "./every-command.ts";
import { startReceiver } from "./receiver.ts";
import { startTestServer, type TestServerOptions } from "./server.ts";
import { drivers } from "./store.ts";

/** A stand-in for ffmpeg, which cuts clips and images: writes a word into its last argument. A shell starts much faster than node. */
export function withCutter(config: Config): void {
  config.clips.ffmpeg = ["/bin/sh", "-c", 'for output; do :; done; echo cut > "$output"', "ffmpeg"];
}

const transcript = {
  vtt: "WEBVTT\n\n00:00.000 --> 00:02.000\nHello there.\n",
  keyTakeaways: ["The menu is dark.", "Jumping is fun."],
};

/** What cuts and transcribes videos, for servers on which every command is run, and one playtester claims for all of them. */
export const withPrograms: Partial<TestServerOptions> = {
  config(config) {
    withCutter(config);
    config.playtesters.maxReserved = 1000;
  },
  transcriber: { transcribe: async () => JSON.stringify(transcript) },
};

/** One marketplace for all tests of a file, with transcripts; filled in before the first of them. */
export function oneWorld(): World {
  const world = {} as World;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const store = await drivers[0]!.open();
    const server = await startTestServer({ store, ...withPrograms });
    const receiver = await startReceiver();
    Object.assign(world, await everyWorld(server, receiver));
    stop = async () => {
      await server.close();
      await receiver.close();
      await store.remove();
    };
  });
  afterAll(() => stop());
  return world;
}

let ids = 0;
/** Ids that go on counting from test to test: two runs in one world must not share an idempotency key. */
export const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;

const reads = new Set(tree.commands.filter(({ risk }) => risk === "read").map(({ path }) => path.join(" ")));
/** What the commands of this test that only read are called with: they find the same each time. */
const called = new Map<World, Map<string, Call>>();
afterEachTest(() => called.clear());

async function callOf(world: World, row: string): Promise<Call> {
  const known = called.get(world)?.get(row);
  if (known) return known;
  const call = await everyCommand[row]!(world);
  if (reads.has(row)) called.set(world, (called.get(world) ?? new Map<string, Call>()).set(row, call));
  return call;
}

/** Runs a command as its row says, with some flags more; `expected` is how the row says it ends. */
export async function runRow(
  world: World,
  path: string,
  flags: readonly string[],
  more: RunOptions = {},
  row = path,
): Promise<Ran & { expected: number }> {
  if (!everyCommand[row]) throw new Error(`${path} has no row in every-command.ts`);
  return runCall(world, path, await callOf(world, row), flags, more);
}

/** Runs a command as `call` says, which is made for one run. */
export async function runCall(
  world: World,
  path: string,
  { words = "", env, code: expected = 0, ...options }: Call,
  flags: readonly string[],
  more: RunOptions = {},
): Promise<Ran & { expected: number }> {
  const rest = typeof words === "string" ? words.split(" ").filter(Boolean) : words;
  const ended = await playtest([...path.split(" "), ...rest, ...flags], {
    baseUrl: world.server.baseUrl,
    key: world.owner.key,
    ...options,
    ...more,
    env: { NO_COLOR: "1", ...env },
    outside: { newId },
  });
  return { ...ended, expected };
}
