import { describe, expect, it } from "vitest";
import type { Query, Value } from "../../server/database/port.ts";
import type { TableName } from "../../server/database/schema/index.ts";
import { stateMachineOf } from "../../server/database/state-machine.ts";
import type { Moves } from "../../src/contract/states/moves.ts";

/** What the state machine asks of the database; `test/store/state-machine.test.ts` has it done by both. */
const doorMoves = {
  open: { close: "closed" },
  closed: { open: "open", lock: "double_locked" },
  double_locked: { unlock: "closed", open: "open" },
} as const satisfies Moves<"open" | "closed" | "double_locked">;

interface Door {
  id: string;
  house: string;
  status: keyof typeof doorMoves;
  state: keyof typeof doorMoves;
  color: string;
}

/** A table that only this test knows. */
const table = "doors" as TableName;
const doors = stateMachineOf<Door, typeof doorMoves>({ noun: "door", table, moves: doorMoves });
const houses = stateMachineOf<Door, typeof doorMoves, "state">({
  noun: "door",
  table,
  moves: doorMoves,
  column: "state",
  key: ["house", "id"],
});
const closed = { id: "D", house: "H", status: "closed", state: "closed", color: "red" } as const;

/** Takes statements, and says that they changed `rows` rows. */
function recording(rows: number) {
  const ran: [sql: string, ...values: Value[]][] = [];
  const run: Query["run"] = async (...statement) => {
    ran.push(statement);
    return rows;
  };
  return { ran, tx: { run } as unknown as Query };
}

describe("a move of a row", () => {
  it("sets the new state where the row has the one that was seen", async () => {
    const { ran, tx } = recording(1);
    expect(await doors.transition(tx, closed, "lock", { color: "blue" })).toEqual({
      ...closed,
      status: "double_locked",
      color: "blue",
    });
    expect(await houses.tryTransition(tx, closed, "open")).toEqual({ ...closed, state: "open" });
    expect(ran).toEqual([
      ["UPDATE doors SET color = ?, status = ? WHERE status = ? AND id = ?", "blue", "double_locked", "closed", "D"],
      ["UPDATE doors SET state = ? WHERE state = ? AND house = ? AND id = ?", "open", "closed", "H", "D"],
    ]);
  });

  it("is refused where another changed the row first", async () => {
    const { tx } = recording(0);
    expect(await doors.tryTransition(tx, closed, "lock")).toBeUndefined();
    expect(await doors.transitionFromAny(tx, closed, "lock")).toBe(false);
    await expect(doors.transition(tx, closed, "lock")).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("is made from any state that has it, where that is asked for", async () => {
    const { ran, tx } = recording(1);
    expect(await doors.transitionFromAny(tx, { id: "D" }, "open", { color: "blue" })).toBe(true);
    expect(ran).toEqual([
      [
        "UPDATE doors SET color = ?, status = ? WHERE status IN (?, ?) AND id = ?",
        "blue",
        "open",
        "closed",
        "double_locked",
        "D",
      ],
    ]);
  });

  it("that its state does not have is a defect of the caller, and asks nothing of the database", async () => {
    const { ran, tx } = recording(1);
    const open = { ...closed, status: "open" } as const;
    await expect(doors.tryTransition(tx, open, "lock" as "close")).rejects.toThrow(
      "the move lock is not allowed for a door that is open",
    );
    expect(ran).toEqual([]);
  });

  it("is required with 409, which names the states that have it", async () => {
    expect(doors.requireMove(closed, "lock")).toBe(closed);
    expect(doors.isIn(closed, "open", "closed")).toBe(true);
    expect(doors.isIn(closed, "open")).toBe(false);
    const required = async (status: Door["status"], move: "open" | "close") => doors.requireMove({ ...closed, status }, move);
    await expect(required("double_locked", "close")).rejects.toMatchObject({
      code: "CONFLICT",
      message: "This door is double locked, not open. Nothing was changed.",
    });
    await expect(required("open", "open")).rejects.toMatchObject({
      message: "This door is open, not closed or double locked. Nothing was changed.",
    });
  });
});
