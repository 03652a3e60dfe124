import { expect, it } from "vitest";
import { nearest } from "../../src/contract/text/nearest.ts";

const names = ["games", "playtests", "ci", "api", "jobs.leaseMs", "jobs.pollMs"];

it.each([
  ["gmaes", "games"],
  ["game", "games"],
  ["GAMES", "games"],
  ["plytsets", "playtests"],
  ["c", "ci"],
  ["jobs.leasMs", "jobs.leaseMs"],
  ["leaseMs", "jobs.leaseMs"],
  ["gaem", undefined],
  ["nothing", undefined],
])("nearest: %s is most like %s", (word, name) => {
  expect(nearest(word, names)).toBe(name);
});
