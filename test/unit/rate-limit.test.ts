import { describe, expect, it } from "vitest";
import { createRateLimiter } from "../../server/http/limits/rate-limit.ts";

const limit = { perMinute: 60, burst: 20 };

/** Two processes whose clock a test moves, and what the database counts for them. */
function twoProcesses() {
  let [now, counted] = [0, 0];
  const processes = [createRateLimiter(() => now, true), createRateLimiter(() => now, true)];
  /** `meanwhile` happens between what the database is told and its answer. */
  const exchangeOf = (at: number, meanwhile = () => {}) => {
    for (const [caller, count] of processes[at]!.untold()) {
      counted += count;
      const answer = counted;
      meanwhile();
      processes[at]!.exchanged(caller, count, answer);
    }
  };
  return {
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    /** How many of so many requests are allowed. */
    send: (to: number, count: number) =>
      Array.from({ length: count }, () => processes[to]!.take("ann", limit)).filter(({ allowed }) => allowed).length,
    exchangeOf,
    exchange() {
      for (const at of processes.keys()) exchangeOf(at);
    },
    /** What the database has counted, before both processes or after it removed the row of the caller. */
    recount: (count: number) => {
      counted = count;
    },
    left: (at: number) => processes[at]!.take("ann", limit).remaining,
    waits: (at: number) => processes[at]!.take("ann", limit).retryAfterSeconds,
    untold: (at: number) => processes[at]!.untold(),
  };
}

describe("the requests of a caller to two processes", () => {
  it("are in ten minutes as many as the limit allows, and a burst for each process", () => {
    const { send, exchange, pass } = twoProcesses();
    let allowed = 0;
    for (let second = 0; second < 600; second++) {
      allowed += send(0, 20) + send(1, 20);
      exchange();
      pass(1);
    }
    expect(allowed).toBeGreaterThanOrEqual(600);
    expect(allowed).toBeLessThanOrEqual(600 + 2 * limit.burst);
  });

  it("stay allowed where each process gets half of what the limit allows", () => {
    const { send, exchange, pass } = twoProcesses();
    for (let second = 0; second < 120; second++) {
      expect(send(second % 2, 1)).toBe(1);
      pass(1);
      exchange();
    }
  });

  it("stay allowed where the other process got what the limit allows for a long time", () => {
    const { send, exchange, pass } = twoProcesses();
    send(0, 5);
    exchange();
    send(1, 5);
    exchange();
    for (let minute = 0; minute < 10; minute++) {
      pass(60);
      expect(send(1, 20)).toBe(20);
      exchange();
    }
    pass(60);
    expect(send(0, 20)).toBe(20);
    exchange();
    expect(send(0, 1)).toBe(0);
    pass(1);
    expect(send(0, 1)).toBe(1);
  });

  it("never make a caller wait longer than a burst takes twice", () => {
    const { send, exchange, waits, pass } = twoProcesses();
    send(0, 2);
    send(1, 2);
    exchange();
    for (let round = 0; round < 50; round++) {
      send(1, 20);
      pass(20);
      exchange();
    }
    send(0, 20);
    exchange();
    expect(waits(0)).toBeLessThanOrEqual(41);
  });

  it("are told once they are a tenth of a burst", () => {
    const { send, untold } = twoProcesses();
    send(0, 1);
    expect([...untold(0)]).toEqual([]);
    send(0, 1);
    expect([...untold(0)]).toEqual([["ann", 2]]);
  });

  it("that were told are told once, and those during an exchange by the next", () => {
    const { send, exchangeOf, untold } = twoProcesses();
    send(0, 3);
    exchangeOf(0, () => send(0, 2));
    send(0, 1);
    expect([...untold(0)]).toEqual([["ann", 3]]);
    exchangeOf(0);
    expect([...untold(0)]).toEqual([]);
    send(0, 2);
    expect([...untold(0)]).toEqual([["ann", 2]]);
  });

  it("cost nothing that was counted before the first exchange, or twice, or after the database forgot", () => {
    const { send, exchange, recount, left } = twoProcesses();
    recount(1000);
    send(0, 2);
    exchange();
    expect(left(0)).toBe(17);
    send(1, 2);
    exchange();
    send(0, 1);
    exchange();
    expect(left(0)).toBe(13);
    recount(0);
    send(0, 1);
    exchange();
    expect(left(0)).toBe(11);
  });

  it("of a caller who is forgotten are told no more", () => {
    const limiter = createRateLimiter(() => 0, true, 2);
    for (const caller of ["ann", "ann", "ben", "ben", "cid", "cid"]) limiter.take(caller, limit);
    expect([...limiter.untold().keys()]).toEqual(["ben", "cid"]);
    // The answer to what was told before.
    limiter.exchanged("ann", 2, 2);
    expect([...limiter.untold().keys()]).toEqual(["ben", "cid"]);
  });

  it("begin again after those of as many others as are remembered", () => {
    const limiter = createRateLimiter(() => 0, false, 2);
    const remaining = ["ann", "ann", "ben", "ann", "cid", "ann"].map((caller) => limiter.take(caller, limit).remaining);
    expect(remaining).toEqual([19, 18, 19, 17, 19, 19]);
  });
});

describe("the requests of a caller", () => {
  const one = { perMinute: 60, burst: 2 };

  function process(shared: boolean) {
    let now = 0;
    const limiter = createRateLimiter(() => now, shared);
    return {
      limiter,
      at: (ms: number) => {
        now = ms;
        return limiter.take("ann", one);
      },
    };
  }

  it("need a whole token each, and cost nothing when they are refused or the clock is set back", () => {
    const { at } = process(true);
    const seen = [0, 0, 500, 999, 1000, 400, 1400].map(at);
    expect(seen.map(({ limit: _, ...verdict }) => Object.values(verdict))).toEqual([
      // allowed, remaining, retryAfterSeconds, resetSeconds
      [true, 1, 0, 1],
      [true, 0, 0, 2],
      [false, 0, 1, 2],
      [false, 0, 1, 2],
      [true, 0, 0, 2],
      [false, 0, 1, 2],
      [true, 0, 0, 2],
    ]);
  });

  it("leave no fewer than none, however many others allowed", () => {
    const { at, limiter } = process(true);
    at(0);
    limiter.exchanged("ann", 1, 1);
    limiter.exchanged("ann", 0, 100);
    const { allowed, remaining, retryAfterSeconds } = at(0);
    expect([allowed, remaining, retryAfterSeconds]).toEqual([false, 0, 3]);
  });

  it("use what did not fit into the bucket once, where they went to others", () => {
    const { at, limiter } = process(true);
    at(0);
    at(60_000);
    limiter.exchanged("ann", 2, 2);
    limiter.exchanged("ann", 0, 12);
    expect(at(60_000).allowed).toBe(false);
  });

  it("are kept for nobody where there is no other process", () => {
    const { at, limiter } = process(false);
    at(0);
    expect(limiter.untold().size).toBe(0);
  });
});
