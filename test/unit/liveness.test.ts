import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Liveness } from "../../server/database/postgres/liveness.ts";

const quietMs = 1_000;
let probes: { answer(): void; fail(): void }[];
let silences: number;
let liveness: Liveness;

beforeEach(() => {
  vi.useFakeTimers();
  [probes, silences] = [[], 0];
  liveness = new Liveness({
    quietMs,
    probe: () => new Promise<void>((answer, reject) => probes.push({ answer, fail: () => reject(new Error("timeout")) })),
    isBusy: () => true,
    onSilent: () => void silences++,
    log: undefined,
  });
});
afterEach(() => {
  liveness.close();
  vi.useRealTimers();
});

/** Lets time pass until the server is asked. */
async function asked() {
  const before = probes.length;
  for (let ticks = 0; probes.length === before; ticks++) {
    if (ticks > 20) throw new Error("The server was not asked.");
    await vi.advanceTimersByTimeAsync(quietMs / 4);
  }
  return probes.at(-1)!;
}

/** The process does nothing else for a while, so that its timers run late. */
async function beBusy(ms: number) {
  vi.setSystemTime(Date.now() + ms);
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + ms);
  await vi.advanceTimersByTimeAsync(quietMs / 4);
  vi.mocked(performance.now).mockRestore();
}

it("a database that leaves two probes unanswered is silent until it answers one", async () => {
  (await asked()).fail();
  const second = await asked();
  expect(liveness.isSilent).toBe(false);
  second.fail();
  await vi.advanceTimersByTimeAsync(0);
  expect([liveness.isSilent, silences]).toEqual([true, 1]);
  (await asked()).answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(liveness.isSilent).toBe(false);
});

it.each([
  ["this process was busy", () => beBusy(3 * quietMs)],
  ["another connection got a reply", async () => liveness.replied()],
])("a probe counts for nothing when meanwhile %s", async (_, meanwhile) => {
  for (let round = 0; round < 5; round++) {
    const probe = await asked();
    await meanwhile();
    probe.fail();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect([liveness.isSilent, silences]).toEqual([false, 0]);
});
