import { describe, expect, it } from "vitest";
import { createAttempts, delayMs } from "../../server/accounts/attempts/attempts.ts";

const { signal } = new AbortController();
const guesser = { address: "192.0.2.1", signal };
const owner = { address: "198.51.100.7", signal };

/** Attempts with a clock and waits in the hands of the test. */
function open() {
  let now = 0;
  const waits: { ms: number; end(): void }[] = [];
  const attempts = createAttempts({
    now: () => now,
    wait: (ms) => new Promise((end) => waits.push({ ms, end })),
  });
  return {
    attempts,
    waits,
    pass: (ms: number) => {
      now += ms;
    },
    fail: (account: string, times: number) => {
      for (let time = 0; time < times; time++) attempts.failed(account, guesser);
    },
  };
}

describe("attempts on one account", () => {
  it("do not wait at first, then longer and longer, never longer than 8 seconds", () => {
    expect([0, 4, 5, 6, 7, 8, 9, 10, 11, 20].map(delayMs)).toEqual([0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it("wait by the failures of that account alone", async () => {
    const { attempts, waits, fail } = open();
    fail("ann", 7);
    await attempts.pause("bob", guesser);
    expect(waits).toEqual([]);
    const ann = attempts.pause("ann", guesser);
    expect(waits.map(({ ms }) => ms)).toEqual([1000]);
    waits[0]!.end();
    await ann;
  });

  it("are forgotten, one a minute, however many there were", async () => {
    const { attempts, waits, fail, pass } = open();
    fail("ann", 1000);
    pass(15 * 60_000);
    void attempts.pause("ann", guesser);
    expect(waits.map(({ ms }) => ms)).toEqual([250]);
    pass(60_000);
    await attempts.pause("ann", guesser);
    expect(waits).toHaveLength(1);
  });

  it("wait side by side, 20 at most; the next is refused with the time to try again", async () => {
    const { attempts, waits, fail } = open();
    fail("ann", 20);
    const paused = Array.from({ length: 20 }, () => attempts.pause("ann", guesser));
    expect(waits).toHaveLength(20);
    await expect(attempts.pause("ann", guesser)).rejects.toMatchObject({ code: "RATE_LIMITED", headers: { "Retry-After": "8" } });
    for (const { end } of waits) end();
    await Promise.all(paused);
    void attempts.pause("ann", guesser);
    expect(waits).toHaveLength(21);
  });

  it("from addresses that failed before do not keep out one that did not", async () => {
    const { attempts, waits, fail } = open();
    fail("ann", 20);
    for (let time = 0; time < 20; time++) void attempts.pause("ann", guesser);
    await expect(attempts.pause("ann", guesser)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    void attempts.pause("ann", owner);
    expect(waits.at(-1)!.ms).toBe(8000);
    expect(waits).toHaveLength(21);
  });
});
