import { describe, expect, it } from "vitest";
import { createRateLimiter } from "../../server/http/limits/rate-limit.ts";

const limit = { perMinute: 60, burst: 20 };

/** Two processes whose clock a test moves, and what the database counts for them. */
function twoProcesses() {
  let [now, counted] = [0, 0];
  const processes = [createRateLimiter(() => now, true), createRateLimiter(() => now, true)];
  return {
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    /** How many of so many requests are allowed. */
    send: (to: number, count: number) =>
      Array.from({ length: count }, () => processes[to]!.take("ann", limit)).filter(({ allowed }) => allowed).length,
    exchange() {
      for (const limiter of processes)
        for (const [caller, count] of limiter.untold()) {
          counted += count;
          limiter.exchanged(caller, count, counted);
        }
    },
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

  it("of a caller who is forgotten are told no more", () => {
    const limiter = createRateLimiter(() => 0, true, 2);
    for (const caller of ["ann", "ann", "ben", "ben", "cid", "cid"]) limiter.take(caller, limit);
    expect([...limiter.untold().keys()]).toEqual(["ben", "cid"]);
  });
});
