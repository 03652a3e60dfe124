import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { playtest, type Ran, type RunOptions } from "./cli.ts";
import { everyCommand, everyWorld, type World } from "./every-command.ts";
import { startReceiver } from "./receiver.ts";
import { startTestServer } from "./server.ts";
import { drivers } from "./store.ts";

/** The programs that a server runs, for servers on which every command is run. */
export function withPrograms(config: Config): void {
  const program = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));
  config.transcriber.command = [process.execPath, program("transcriber"), "json"];
  config.clips.ffmpeg = [process.execPath, program("ffmpeg"), "cut"];
}

/** One marketplace for all tests of a file, with transcripts; filled in before the first of them. */
export function oneWorld(): World {
  const world = {} as World;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const store = await drivers[0]!.open();
    const server = await startTestServer({ store, config: withPrograms });
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

/** Runs a command as its row says, with some flags more; `expected` is how the row says it ends. */
export async function runRow(
  world: World,
  path: string,
  flags: readonly string[],
  more: RunOptions = {},
  row = path,
): Promise<Ran & { expected: number }> {
  const make = everyCommand[row];
  if (!make) throw new Error(`${path} has no row in every-command.ts`);
  const { words = "", env, code: expected = 0, ...options } = await make(world);
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
