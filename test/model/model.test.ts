import fc from "fast-check";
import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import type { TestServer } from "../helpers/server.ts";
import { type Action, hour, initial, kinds, type Slot, type State, step } from "./model.ts";
import { act, createWorld, credit, earned, holds, observe, people, type World } from "./world.ts";

/** More of them: `PLAYTEST_MODEL_RUNS=2000 PLAYTEST_SEED=7 npm run test:model`. */
const runs = Number(process.env.PLAYTEST_MODEL_RUNS ?? 12);
const length = Number(process.env.PLAYTEST_MODEL_STEPS ?? 120);
const seed = Number(process.env.PLAYTEST_SEED ?? 20260301);
const maxPlaytests = 6;

/** A choice made before the state is known: `guided` takes a target on which the action works, or else does nothing. */
interface Choice {
  what: Action["do"] | "late";
  target: number;
  other: number;
  guided: boolean;
}

const weights: [number, Choice["what"]][] = [
  [4, "order"],
  [3, "pay"],
  [1, "cancel"],
  [6, "claim"],
  [5, "apply"],
  [4, "approve"],
  [1, "rejectApplication"],
  [1, "withdraw"],
  [6, "submit"],
  [2, "report"],
  [2, "unblock"],
  [2, "release"],
  [3, "accept"],
  [1, "reject"],
  [3, "retry"],
  [1, "delete"],
  [5, "approveTrial"],
  [1, "rejectTrial"],
  [5, "approveVideo"],
  [1, "rejectVideo"],
  [3, "wait"],
  [2, "late"],
];

const choice = fc.record({
  what: fc.oneof(...weights.map(([weight, what]) => ({ weight, arbitrary: fc.constant(what) }))),
  target: fc.nat(999),
  other: fc.nat(999),
  guided: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
});

/** Every action of this kind that the state has targets for. */
function candidates(state: State, { what, other }: Choice): Action[] {
  const all = (list: readonly unknown[]) => list.map((_, index) => index);
  switch (what) {
    case "order":
      return state.playtests.length < maxPlaytests ? kinds.map((_, kind) => ({ do: what, kind, quantity: 1 + (other % 3) })) : [];
    case "claim":
    case "apply":
      return all(state.playtests).flatMap((playtest) => all(state.earned).map((by) => ({ do: what, playtest, by })));
    case "pay":
    case "cancel":
    case "approveTrial":
    case "rejectTrial":
      return all(state.playtests).map((playtest) => ({ do: what, playtest }));
    case "approve":
    case "rejectApplication":
    case "withdraw":
      return all(state.applications).map((application) => ({ do: what, application }));
    case "wait":
    case "late":
      return [1, 24, 72, 168].map((hours) => ({ do: "wait", until: state.now + hours * hour }));
    default:
      return all(state.slots).map((slot) => ({ do: what, slot }));
  }
}

const nextAlarm = (state: State) => Math.min(...state.alarms.map((alarm) => alarm.at));

function resolve(state: State, chosen: Choice): Action | undefined {
  const { what, target, other, guided } = chosen;
  const next = nextAlarm(state);
  if ((what === "late" || (what === "wait" && guided)) && Number.isFinite(next))
    return { do: "wait", until: Math.max(state.now, next - (what === "wait" ? other % 2 : 0)) };
  const targets = candidates(state, chosen);
  const from = guided ? targets.filter((action) => step(state, action).status < 300) : targets;
  return from[target % from.length];
}

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

async function play(server: TestServer, choices: Choice[]): Promise<void> {
  const world = await createWorld(server);
  let state = initial(server.clock.now(), credit, people);
  const story: string[] = [];
  for (const chosen of choices) {
    const action = resolve(state, chosen);
    if (!action) continue;
    const { status, state: after } = step(state, action);
    story.push(`${JSON.stringify(action)} → ${status}`);
    try {
      if (chosen.what === "late") await checkLate(world, state, after);
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

onBothDatabases("server and model in step", (serve) => {
  it(`through ${runs} random stories of up to ${length} steps, seed ${seed}`, { timeout: 30_000 + runs * 20_000 }, async () => {
    const server = await serve();
    const stories = fc.array(choice, { minLength: 1, maxLength: length, size: "max" });
    await fc.assert(
      fc.asyncProperty(stories, (choices) => play(server, choices)),
      { numRuns: runs, seed, endOnFailure: false },
    );
  });
});
