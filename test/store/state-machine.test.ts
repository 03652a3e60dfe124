import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableName } from "../../server/database/schema/index.ts";
import { stateMachineOf } from "../../server/database/state-machine.ts";
import type { Moves } from "../../src/contract/states/moves.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

const doorMoves = {
  open: { close: "closed" },
  closed: { open: "open", lock: "double_locked" },
  double_locked: { unlock: "closed" },
  gone: {},
} as const satisfies Moves<"open" | "closed" | "double_locked" | "gone">;

interface Door {
  house: string;
  number: number;
  state: keyof typeof doorMoves;
  color: string | null;
}

const { isIn, requireMove, transition, tryTransition, transitionFromAny } = stateMachineOf<Door, typeof doorMoves, "state">({
  noun: "door",
  // Only this test knows it.
  table: "doors" as TableName,
  column: "state",
  moves: doorMoves,
  key: ["house", "number"],
});

describe.each(drivers)("$name: the state machine of a table", ({ open }) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await open();
    await store.write((tx) => tx.run("CREATE TABLE doors (house TEXT, number INTEGER, state TEXT, color TEXT)"));
  });
  afterEach(() => store.remove());

  async function door<State extends Door["state"]>(state: State, number = 1): Promise<Door & { state: State }> {
    await store.write((tx) => tx.run("INSERT INTO doors VALUES ('a', ?, ?, NULL)", number, state));
    return { house: "a", number, state, color: null };
  }

  const doors = () => store.read((q) => q.all<Door>("SELECT * FROM doors ORDER BY number"));

  it("transition: makes a move with its changes, and returns the new row", async () => {
    const closed = await door("closed");
    await door("closed", 2);
    const locked = await store.write((tx) => transition(tx, closed, "lock", { color: "red" }));
    expect(locked).toEqual({ house: "a", number: 1, state: "double_locked", color: "red" });
    expect(await doors()).toEqual([locked, { ...closed, number: 2 }]);
  });

  it("transition: of two callers that saw the same row one makes the move, the other gets undefined or 409", async () => {
    const closed = await door("closed");
    await store.write((tx) => transition(tx, closed, "lock"));
    expect(await store.write((tx) => tryTransition(tx, closed, "open"))).toBeUndefined();
    await expect(store.write((tx) => transition(tx, closed, "open"))).rejects.toMatchObject({
      code: "CONFLICT",
      message: "The door was changed by someone else. Nothing was done. Reload and try again.",
    });
    expect(await doors()).toMatchObject([{ state: "double_locked" }]);
  });

  it("transitionFromAny: makes a move from any state that has it, and from no other", async () => {
    const one = await door("open");
    expect(await store.write((tx) => transitionFromAny(tx, one, "unlock", { color: "red" }))).toBe(false);
    expect(await store.write((tx) => transitionFromAny(tx, one, "close", { color: "blue" }))).toBe(true);
    expect(await store.write((tx) => transitionFromAny(tx, one, "close"))).toBe(false);
    expect(await doors()).toMatchObject([{ state: "closed", color: "blue" }]);
  });

  it("requireMove: refuses a row in a state without the move, and names the states that have it", async () => {
    const locked: Door = await door("double_locked");
    expect(isIn(locked, "open", "closed")).toBe(false);
    expect(() => requireMove(locked, "open")).toThrow("This door is double locked, not closed. Nothing was changed.");
    expect(requireMove(locked, "unlock")).toBe(locked);
  });
});
