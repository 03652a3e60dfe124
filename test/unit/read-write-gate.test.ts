import { expect, it } from "vitest";
import { ReadWriteGate } from "../../server/database/postgres/read-write-gate.ts";

/** Work that says when it runs and ends when told to. */
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

it("lets many pass together and one alone, in the order they came", async () => {
  const turnstile = new ReadWriteGate();
  const { log, work, end } = stage();
  const all = [
    turnstile.together(work("a")),
    turnstile.together(work("b")),
    turnstile.alone(work("X")),
    turnstile.together(work("c")),
  ];
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

it("opens again when the work throws", async () => {
  const turnstile = new ReadWriteGate();
  await expect(turnstile.alone(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turnstile.together(async () => "in")).toBe("in");
});
