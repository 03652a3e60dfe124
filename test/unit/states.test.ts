import { describe, expect, it } from "vitest";
import * as states from "../../src/contract/states/index.ts";
import { leaves, type Moves, sourcesOf, targetOf } from "../../src/contract/states/moves.ts";

const tables = Object.entries(states).filter(([name]) => name.endsWith("Moves")) as [string, Moves<string>][];

describe.each(tables)("%s", (_, moves) => {
  it("names a move of several states only where it leads to one state", () => {
    const targets = new Map<string, Set<string>>();
    for (const leaving of Object.values(moves))
      for (const [move, target] of Object.entries(leaving)) targets.set(move, (targets.get(move) ?? new Set()).add(target));
    expect([...targets].filter(([, found]) => found.size > 1)).toEqual([]);
  });
});

describe("a move", () => {
  it("leaves the states that the table gives it to, and no other", () => {
    expect(sourcesOf(states.slotMoves, "release")).toEqual(["reserved", "blocked"]);
    expect(states.slotStatuses.filter((status) => leaves(states.slotMoves, status, "release"))).toEqual(["reserved", "blocked"]);
    expect(leaves(states.slotMoves, "no such state", "release")).toBe(false);
  });

  it("leads to one state", () => {
    expect(targetOf(states.slotMoves, "release")).toBe("cancelled");
    expect(targetOf(states.paymentMoves, "pay")).toBe("completed");
  });
});
