import { describe, expect, it } from "vitest";
import { kept, parseKeep } from "../../server/config/keep-rule.ts";

const day = 86_400_000;
const names = (rule: string, times: readonly string[]) =>
  [
    ...kept(
      parseKeep(rule)!,
      times.map((time) => Date.parse(`${time}Z`)),
    ),
  ]
    .sort((a, b) => a - b)
    .map((time) => new Date(time).toISOString().slice(0, 16));

describe("a rule of what to keep", () => {
  it.each(["", "0", "7x", "d", "-1", "1.5d", "7d,", "7d 4w", "10000", "7D"])("%j is none", (text) => {
    expect(parseKeep(text)).toBeUndefined();
  });

  it("keeps the newest of each day, week, month and year, and the newest of all", () => {
    const times = [
      "2024-12-31T03:00",
      "2026-01-31T03:00",
      "2026-02-28T03:00",
      // A Sunday and the Monday after it.
      "2026-03-08T03:00",
      "2026-03-09T03:00",
      "2026-03-10T03:00",
      "2026-03-11T03:00",
      "2026-03-11T15:00",
    ];
    expect(names("2", times)).toEqual(["2026-03-11T03:00", "2026-03-11T15:00"]);
    expect(names("2d", times)).toEqual(["2026-03-10T03:00", "2026-03-11T15:00"]);
    expect(names("2w", times)).toEqual(["2026-03-08T03:00", "2026-03-11T15:00"]);
    expect(names("2m", times)).toEqual(["2026-02-28T03:00", "2026-03-11T15:00"]);
    expect(names("2y", times)).toEqual(["2024-12-31T03:00", "2026-03-11T15:00"]);
    expect(names("1d, 2w, 3m", times)).toEqual(["2026-01-31T03:00", "2026-02-28T03:00", "2026-03-08T03:00", "2026-03-11T15:00"]);
  });

  it("keeps, with one a day for two years, 7 days, 4 weeks and 12 months of them, whatever day it is", () => {
    const start = Date.UTC(2024, 0, 1, 3);
    for (let today = 366; today < 760; today++) {
      const times = Array.from({ length: today }, (_, at) => start + at * day);
      const all = [...kept(parseKeep("7d,4w,12m")!, times)].sort((a, b) => b - a);
      expect(all.slice(0, 7)).toEqual(times.slice(-7).reverse());
      expect(all.length).toBeLessThanOrEqual(7 + 4 + 12);
      expect(all.length).toBeGreaterThanOrEqual(7 + 2 + 10);
    }
  });

  it("keeps the same ones when it is applied each day as when it is applied once", () => {
    const rule = parseKeep("3d,2w,3m")!;
    let daily: number[] = [];
    const all = Array.from({ length: 200 }, (_, at) => Date.UTC(2026, 0, 1) + at * day);
    for (const time of all) daily = [...kept(rule, [...daily, time])];
    expect(daily.sort()).toEqual([...kept(rule, all)].sort());
  });
});
