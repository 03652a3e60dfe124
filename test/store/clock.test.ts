import { describe, expect, it } from "vitest";
import { createClock } from "../../server/clock.ts";
import { drivers } from "../helpers/store.ts";

describe.each(drivers)("the sandbox clock ($name)", (driver) => {
  it("moves forward only, runs on with real time, and survives a restart", async () => {
    const store = await driver.open();
    try {
      let real = 1000;
      const open = () => createClock(store, () => real, true);
      const clock = await open();
      await clock.moveTo(5000);
      await clock.moveTo(2000);
      expect([clock.now(), clock.real()]).toEqual([5000, 1000]);
      real += 10;
      expect(clock.now()).toBe(5010);
      expect((await open()).now()).toBe(5010);
      await (await open()).moveTo(9000);
      expect((await open()).now()).toBe(9000);
    } finally {
      await store.remove();
    }
  });

  it("is real time without a sandbox, whatever was saved", async () => {
    const store = await driver.open();
    try {
      await (await createClock(store, () => 1000, true)).moveTo(5000);
      expect((await createClock(store, () => 1000, false)).now()).toBe(1000);
    } finally {
      await store.remove();
    }
  });
});
