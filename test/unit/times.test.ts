import { describe, expect, it } from "vitest";
import { flag } from "../../src/cli/flags.ts";
import { parseTime } from "../../src/config/times.ts";

const now = Date.parse("2026-11-25T12:00:00Z");
const since = (text: string) => {
  const moment = flag.moment("Since").parse(text, "--since") as (now: number) => number;
  return new Date(moment(now)).toISOString();
};

describe("a moment", () => {
  it.each([
    ["2h", "2026-11-25T10:00:00.000Z"],
    ["90m", "2026-11-25T10:30:00.000Z"],
    ["1.5d", "2026-11-24T00:00:00.000Z"],
    ["999999999999d", "1970-01-01T00:00:00.000Z"],
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T08:00", "2026-01-31T08:00:00.000Z"],
    ["2026-01-31t08:00:01z", "2026-01-31T08:00:01.000Z"],
    ["2026-01-31T08:00:00+01:00", "2026-01-31T07:00:00.000Z"],
    ["2026-01-31T23:00-0530", "2026-02-01T04:30:00.000Z"],
    ["2026-01-31T08:00:00.123456789Z", "2026-01-31T08:00:00.123Z"],
    ["2026-01-31T08:00:00,5Z", "2026-01-31T08:00:00.500Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["0099-01-01", "1970-01-01T00:00:00.000Z"],
  ])("%s", (text, time) => {
    expect(since(text)).toBe(time);
  });

  it.each([
    "Nov 5",
    "5 Nov 2026",
    "01.02.2026",
    "01/02/2026",
    "11/25/2026",
    "2026",
    "20261125",
    "2026-11",
    "120",
    "0",
    "-2h",
    "2w",
    "2 hours",
    "2026-1-5",
    "2026-13-01",
    "2026-01-31 08:00",
    "2026-01-31T24:00",
    "2026-01-31T08:60",
    "2026-01-31T08",
    "2026-01-31T08:00 CET",
    "2026-01-31Z",
    "Sat, 31 Jan 2026 08:00:00 GMT",
    "now",
    "",
  ])("never is %j", (text) => {
    expect(() => since(text)).toThrow(
      `--since: ${JSON.stringify(text)} is not a duration with a unit, such as 2h or 30d, or a time, such as 2026-01-31 or 2026-01-31T08:00:00+01:00 (ISO 8601; UTC if no zone is given).`,
    );
  });

  it.each(["2026-02-30", "2026-02-29", "2026-04-31T08:00:00Z", "2026-01-00", "2026-01-32"])(
    "never is %s, which does not exist",
    (text) => {
      expect(() => since(text)).toThrow(`--since: the day ${text.slice(0, 10)} does not exist.`);
    },
  );
});

it("every day of five centuries is itself", () => {
  const days = Array.from({ length: 182_621 }, (_, day) => Date.UTC(1900, 0, 1 + day));
  expect(days.filter((time) => parseTime(new Date(time).toISOString().slice(0, 10)) !== time)).toEqual([]);
});
