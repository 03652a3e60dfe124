import { expect, it } from "vitest";
import { usd } from "../../server/lib/money.ts";
import { iso, isoOrNull, utc } from "../../server/lib/time.ts";

const time = (text: string) => Date.parse(`${text}Z`);
const now = time("2026-03-04T12:34:56");

it.each([
  [0, "$0.00"],
  [5, "$0.05"],
  [99, "$0.99"],
  [100, "$1.00"],
  [152_000, "$1,520.00"],
  [-50, "-$0.50"],
  [-123_456_789, "-$1,234,567.89"],
])("%i cents are shown as %s", (cents, text) => {
  expect(usd(cents)).toBe(text);
});

it("times are in UTC", () => {
  expect([iso(now), isoOrNull(now), isoOrNull(null), isoOrNull(0), utc(now)]).toEqual([
    "2026-03-04T12:34:56.000Z",
    "2026-03-04T12:34:56.000Z",
    null,
    "1970-01-01T00:00:00.000Z",
    "2026-03-04 12:34 UTC",
  ]);
});
