import { describe, expect, it } from "vitest";
import * as statistics from "../../server/playtests/statistics/rules.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const time = (text: string) => Date.parse(`${text}Z`);
const now = time("2026-03-04T12:34:56");

describe("figures", () => {
  const dates = (starts: readonly number[]) => starts.map((start) => new Date(start).toISOString().slice(0, 10));

  it.each([
    ["2026-02-25T00:00:00", ["2026-02-23", "2026-03-02"]],
    ["2026-03-02T00:00:00", ["2026-03-02"]],
    ["2026-03-01T23:59:59", ["2026-02-23", "2026-03-02"]],
    ["2026-03-09T00:00:00", ["2026-03-02"]],
  ])("since %s are by weeks from Monday: %j", (since, weeks) => {
    expect(dates(statistics.periods(time(since), now))).toEqual(weeks);
  });

  it("of a week that has just begun have that week", () => {
    const monday = time("2026-03-09T00:00:00");
    expect(dates(statistics.periods(monday - 1, monday))).toEqual(["2026-03-02", "2026-03-09"]);
  });

  it("of half a year are by weeks, and of more by months", () => {
    expect(statistics.periods(now - 26 * 7 * day, now)).toHaveLength(27);
    expect(dates(statistics.periods(now - 26 * 7 * day - 1, now))).toEqual(
      ["2025-09", "2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"].map((month) => `${month}-01`),
    );
    expect(
      statistics.periods(time("1960-01-05T00:00:00"), time("1960-01-06T00:00:00")).map((at) => new Date(at).getUTCDay()),
    ).toEqual([1]);
  });

  it("by months are of five years at most", () => {
    expect(dates(statistics.months(0, now)).slice(0, 2)).toEqual(["2021-04-01", "2021-05-01"]);
    expect(statistics.months(0, now)).toHaveLength(60);
    expect(dates(statistics.months(time("2026-02-01T00:00:00"), now))).toEqual(["2026-02-01", "2026-03-01"]);
  });

  it("count since 90 days ago, and costs since the beginning of a year's months", () => {
    expect(statistics.statisticsSince(now)).toBe(now - 90 * day);
    expect(dates([statistics.spendingSince(now)])).toEqual(["2025-04-01"]);
    expect(statistics.monthName(statistics.spendingSince(now))).toBe("2025-04");
  });

  it("are rounded, and none of nothing", () => {
    expect([statistics.share(0, 0), statistics.share(2, 3), statistics.share(0, 5)]).toEqual([null, 0.667, 0]);
    expect([statistics.average(5, 0), statistics.average(10, 3), statistics.average(1, 3)]).toEqual([null, 3.33, 0.33]);
    expect([statistics.inMinutes(null), statistics.inMinutes(0), statistics.inMinutes(95_000)]).toEqual([null, 0, 1.6]);
  });

  it("of reviews are of those that were decided", () => {
    const none = { open: 9, reserved: 9, submitted: 9, blocked: 9, expired: 9, cancelled: 9, publishing: 9 };
    expect(statistics.rates({ ...none, accepted: 3, rejected: 1 }, 1)).toEqual({ acceptanceRate: 0.75, retryRate: 0.25 });
    expect(statistics.rates({ ...none, accepted: 0, rejected: 0 }, 0)).toEqual({ acceptanceRate: null, retryRate: null });
  });
});
