import { describe, expect, it } from "vitest";
import { createClock } from "../../server/database/clock.ts";
import { drivers } from "../helpers/store.ts";

describe.each(drivers)("sandbox clock ($name)", (driver) => {
  it("moves only forward, continues with real time, and survives a restart", async () => {
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

  it("adds up concurrent advances", async () => {
    const store = await driver.open();
    try {
      const clock = await createClock(store, () => 1000, true);
      const ends = await Promise.all([100, 100, 100].map((ms) => clock.book(ms)));
      expect(ends.sort()).toEqual([1100, 1200, 1300]);
      await clock.moveTo(1300);
      expect(await clock.book(50)).toBe(1350);
      await clock.moveTo(9000);
      expect(await clock.book(50)).toBe(9050);
    } finally {
      await store.remove();
    }
  });

  it("is real time without a sandbox, even if an advanced time is stored", async () => {
    const store = await driver.open();
    try {
      await (await createClock(store, () => 1000, true)).moveTo(5000);
      expect((await createClock(store, () => 1000, false)).now()).toBe(1000);
    } finally {
      await store.remove();
    }
  });
});

describe("sandbox clock of two processes on one PostgreSQL", () => {
  it("has the latest time that either of them set, and never goes back", async () => {
    const store = await drivers.find(({ name }) => name === "postgres")!.open();
    try {
      const [one, other] = [await createClock(store, () => 1000, true), await createClock(store, () => 1000, true)];
      await one.moveTo(5000);
      expect(other.now()).toBe(1000);
      await store.read((q) => other.follow!(q));
      expect(other.now()).toBe(5000);
      await other.moveTo(9000);
      // This one has not read the new time yet, so it does not know that 7000 is in the past.
      await one.moveTo(7000);
      await store.read((q) => one.follow!(q));
      expect([one.now(), other.now()]).toEqual([9000, 9000]);
      const ends = await Promise.all([one.book(100), other.book(100)]);
      expect(ends.sort()).toEqual([9100, 9200]);
    } finally {
      await store.remove();
    }
  });
});
