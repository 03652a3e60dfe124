import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Deps } from "../../server/app/deps.ts";
import { startLimitExchange } from "../../server/http/limits/exchange.ts";
import { createRateLimiter } from "../../server/http/limits/rate-limit.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A process with ten requests of a caller each second, and a database that answers when the test says so. */
function process({ shared = true, enabled = true, requests = 10 } = {}) {
  const draining = new AbortController();
  const warnings: string[] = [];
  const writes: { answer(): void; fail(): void }[] = [];
  const write = () =>
    new Promise((resolve, reject) => {
      writes.push({ answer: () => resolve([requests]), fail: () => reject(new Error("no database")) });
    });
  const deps = {
    store: { shared, write },
    limiter: createRateLimiter(() => 0, shared),
    config: { limits: { enabled } },
    clock: { real: () => 0 },
    secrets: { mac: (_: string, text: string) => text },
    log: { warn: (_: object, message: string) => warnings.push(message) },
    draining: draining.signal,
  } as unknown as Deps;
  startLimitExchange(deps);
  return {
    warnings,
    writes,
    stop: () => draining.abort(),
    async second(outcome: "answer" | "fail" | undefined) {
      for (let count = 0; count < requests; count++) deps.limiter.take("ann", { perMinute: 60, burst: 100 });
      await vi.advanceTimersByTimeAsync(1_000);
      if (outcome) writes.at(-1)?.[outcome]();
      await vi.advanceTimersByTimeAsync(0);
      return writes.length;
    },
  };
}

it.each([
  ["each second, of callers with many requests", {}, [1, 2], 1],
  ["not of those with few", { requests: 1 }, [0, 0], 1],
  ["not where there is no other process", { shared: false }, [0, 0], 0],
  ["not without limits", { enabled: false }, [0, 0], 0],
])("a process tells the database of requests %s", async (_, options, writes, timers) => {
  const { second } = process(options);
  expect([await second("answer"), await second("answer")]).toEqual(writes);
  expect(vi.getTimerCount()).toBe(timers);
});

it("an exchange waits for the one before it", async () => {
  const { second } = process();
  expect([await second(undefined), await second(undefined), await second("answer"), await second("answer")]).toEqual([
    1, 1, 1, 2,
  ]);
});

it("an outage is reported once, the next one again, and exchanges go on", async () => {
  const { second, warnings } = process();
  const reported = [];
  for (const outcome of ["fail", "fail", "answer", "fail", "fail"] as const) {
    await second(outcome);
    reported.push(warnings.length);
  }
  expect(reported).toEqual([1, 1, 1, 2, 2]);
});

it("exchanges end when the server stops", async () => {
  const { second, stop } = process();
  await second("answer");
  stop();
  expect(await second("answer")).toBe(1);
});
