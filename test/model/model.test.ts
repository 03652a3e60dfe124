import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import type { TestServer } from "../helpers/server.ts";
import { initial, maxHeld, type Slot, type State, step } from "./model.ts";
import { type Choice, resolve, stories } from "./stories.ts";
import { act, createWorld, credit, earned, holds, observe, people, type World } from "./world.ts";

/** To run more: `PLAYTEST_MODEL_RUNS=2000 PLAYTEST_SEED=7 npm run test:model`. */
const runs = Number(process.env.PLAYTEST_MODEL_RUNS ?? (inject("restricted") ? 2 : 7));
const length = Number(process.env.PLAYTEST_MODEL_STEPS ?? (inject("restricted") ? 40 : 70));
/** Stops there, also while a failing story shrinks. */
const seconds = Number(process.env.PLAYTEST_MODEL_SECONDS ?? 600);
/** One whose few sequences reach nearly every action, and approvals that are refused because the playtester holds too much. */
const seed = Number(process.env.PLAYTEST_SEED ?? 22);
const grouped = (slots: readonly Slot[]) =>
  slots.map((slot, index) => ({ slot, index })).sort((a, b) => a.slot.playtest - b.slot.playtest);

/** What the API must show of a state; ids stand for the slots once they are known. */
function expected(state: State, world: World) {
  return {
    playtests: state.playtests.map((playtest) => playtest.status),
    slots: grouped(state.slots).map(({ slot, index }) => ({
      playtest: slot.playtest,
      id: world.slots[index],
      status: slot.status,
      holder: slot.holder,
      deadline: slot.status === "reserved" ? slot.deadline : null,
    })),
    applications: state.applications.map(({ status, slot }) => ({ status, slot: slot === null ? null : world.slots[slot] })),
    credit: state.credit,
  };
}

/** Slots the model just opened get the ids the server shows in their place. */
function learn(state: State, world: World, shown: { id: string }[]): void {
  for (const [place, { index }] of grouped(state.slots).entries()) world.slots[index] ??= shown[place]?.id ?? "";
}

/** No job has run since the clock moved: what exists already must look as it will when they have. */
async function checkLate(world: World, before: State, after: State): Promise<void> {
  const { server } = world;
  server.clock.set(after.now);
  const shown = await observe(world);
  const known = new Set(world.slots.slice(0, before.slots.length));
  const want = expected(after, world);
  expect(shown.slots.filter((slot) => known.has(slot.id))).toEqual(want.slots.filter((slot) => slot.id && known.has(slot.id)));
  expect(shown.playtests).toEqual(want.playtests);
  expect(shown.applications).toEqual(want.applications);
}

async function play(server: TestServer, choices: (Choice | null)[]): Promise<void> {
  const world = await createWorld(server);
  let state = initial(server.clock.now(), credit, people);
  const story: string[] = [];
  for (const chosen of choices) {
    if (!chosen) continue;
    const { action, late } = resolve(state, chosen);
    const { status, state: after } = step(state, action);
    story.push(`${JSON.stringify(action)} → ${status}`);
    try {
      if (late) await checkLate(world, state, after);
      expect(await act(world, action, state)).toBe(status);
      const shown = await observe(world);
      learn(after, world, shown.slots);
      expect(shown).toEqual(expected(after, world));
    } catch (error) {
      throw new Error(`after\n  ${story.join("\n  ")}\n${(error as Error).message}`, { cause: error });
    }
    state = after;
  }
  expect(await earned(world)).toEqual(state.earned);
  const live = (index: number) =>
    state.slots.filter(
      ({ playtest, status }) => playtest === index && ["open", "reserved", "submitted", "blocked", "publishing"].includes(status),
    );
  expect(await holds(world)).toEqual(state.playtests.map(({ kind }, index) => kind.price * live(index).length));
}

onBothDatabases("server and model agree", (serve) => {
  it(`after each of ${length} random actions, in ${runs} sequences, seed ${seed}`, {
    timeout: 240_000 + runs * 20_000,
  }, async () => {
    const server = await serve({ config: (config) => (config.playtesters.maxReserved = maxHeld) });
    await fc.assert(
      fc.asyncProperty(stories(length), (choices) => play(server, choices)),
      { numRuns: runs, seed, endOnFailure: false, includeErrorInReport: true, interruptAfterTimeLimit: seconds * 1000 },
    );
  });
});
