import { expect, it } from "vitest";
import { ReadWriteGate } from "../../server/database/postgres/read-write-gate.ts";

/** Work that logs when it runs and ends when the test says so. */
function stage() {
  const log: string[] = [];
  const finish = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      log.push(`${name} in`);
      finish.set(name, () => {
        log.push(`${name} out`);
        resolve();
      });
    });
  return {
    log,
    work,
    end: async (name: string) => {
      finish.get(name)!();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("read-write gate: runs shared work together and exclusive work alone, in order of arrival", async () => {
  const gate = new ReadWriteGate();
  const { log, work, end } = stage();
  const all = [gate.shared(work("a")), gate.shared(work("b")), gate.exclusive(work("X")), gate.shared(work("c"))];
  await settled();
  expect(log).toEqual(["a in", "b in"]);
  await end("a");
  await end("b");
  expect(log.slice(4)).toEqual(["X in"]);
  await end("X");
  await end("c");
  expect(log.slice(4)).toEqual(["X in", "X out", "c in", "c out"]);
  await Promise.all(all);
});

it("read-write gate: opens again when the work throws", async () => {
  const gate = new ReadWriteGate();
  await expect(gate.exclusive(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await gate.shared(async () => "in")).toBe("in");
});
