import { afterEachTest } from "./after-each.ts";
import type { Ran, RunOptions } from "./cli.ts";
import { everyWorld, type World } from "./every-command.ts";
import { type Hosted, startHosted } from "./hosted.ts";
import { startReceiver } from "./receiver.ts";
import { reusedStore } from "./reused-store.ts";
import { startTestServer } from "./server.ts";
import { runRow, withPrograms } from "./walk.ts";

/** A marketplace with one of everything, on a server that does only what the specification says. */
export interface HostedWorld extends World {
  hosted: Hosted;
}

const running: (() => Promise<unknown>)[] = [];
afterEachTest(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

/** A new one, gone after the test. */
export async function startHostedWorld(): Promise<HostedWorld> {
  const store = await reusedStore();
  running.push(store.remove);
  const server = await startTestServer({ store, ...withPrograms });
  running.push(server.close);
  const receiver = await startReceiver();
  running.push(receiver.close);
  const hosted = await startHosted(server.baseUrl);
  running.push(hosted.close);
  const world = await everyWorld(server, receiver);
  return { ...world, hosted };
}

/** Runs a command on it as its row says. */
export const runHosted = (world: HostedWorld, path: string, more: RunOptions = {}): Promise<Ran & { expected: number }> =>
  runRow(world, path, [], { baseUrl: world.hosted.baseUrl, ...more });
