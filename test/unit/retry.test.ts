import { describe, expect, it } from "vitest";
import { backoff, type Decision, decide, type Failure, retryAfter } from "../../src/api/retry.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");
const state = { tries: 1, toldWhen: 0, retries: 3, waited: 0, maxWait: 60_000, now, random: 0.5 };

describe("Retry-After", () => {
  it.each([
    ["absent", undefined, undefined],
    ["seconds", "7", 7_000],
    ["fractions of a second", "0.25", 250],
    ["with spaces", " 2 ", 2_000],
    ["a date", "Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["a date in the past", "Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["nonsense", "soon", undefined],
    ["negative", "-5x", undefined],
  ])("%s", (_, header, expected) => {
    expect(retryAfter(header, now)).toBe(expected);
  });
});

it("backoff: doubles from 250 ms up to 8 s, half of it random", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 20].map((tries) => [backoff(tries, 0), backoff(tries, 0.999_999)])).toEqual([
    [125, 250],
    [250, 500],
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
    [4000, 8000],
    [4000, 8000],
    [4000, 8000],
  ]);
});

describe("whether to retry", () => {
  const rows: [string, Failure, Partial<typeof state>, Decision][] = [
    ["a lost connection", {}, {}, { retry: true, wait: 188 }],
    ["503: the server restarts", { status: 503 }, {}, { retry: true, wait: 1_500 }],
    ["502 of a proxy before a server that restarts", { status: 502 }, { tries: 3 }, { retry: true, wait: 6_000 }],
    ["504", { status: 504 }, {}, { retry: true, wait: 1_500 }],
    ["503 for what is not configured", { status: 503, code: "NOT_CONFIGURED", retryAfter: "5" }, {}, { retry: false }],
    ["408", { status: 408 }, {}, { retry: true, wait: 188 }],
    ["429 with Retry-After", { status: 429, retryAfter: "5" }, {}, { retry: true, wait: 5_000 }],
    ["the third try", { status: 500 }, { tries: 3 }, { retry: true, wait: 750 }],
    ["after the last try", { status: 500 }, { tries: 4 }, { retry: false }],
    ["a lost connection after replies that said when to try again", {}, { tries: 5, toldWhen: 4 }, { retry: true, wait: 3_000 }],
    ["a lost connection after them, and after the last try", {}, { tries: 8, toldWhen: 4 }, { retry: false }],
    ["429 when no retries are allowed", { status: 429, retryAfter: "1" }, { retries: 0 }, { retry: false, requestedWait: 1_000 }],
    ["a wait longer than the maximum", { status: 429, retryAfter: "61" }, {}, { retry: false, requestedWait: 61_000 }],
    [
      "a wait longer than what is left of the maximum",
      { status: 429, retryAfter: "10" },
      { waited: 55_000 },
      { retry: false, waited: 55_000 },
    ],
    [
      "503 with Retry-After after the last try: the database fails over",
      { status: 503, retryAfter: "1" },
      { tries: 4, waited: 3_000 },
      { retry: true, wait: 6_000 },
    ],
    [
      "429 with Retry-After after the last try: waits as asked, which is longer than its own backoff",
      { status: 429, retryAfter: "5" },
      { tries: 4, waited: 15_000 },
      { retry: true, wait: 5_000 },
    ],
    [
      "503 with Retry-After when the maximum is used up",
      { status: 503, retryAfter: "1" },
      { tries: 12, waited: 60_000 },
      { retry: false, waited: 60_000 },
    ],
    [
      "503 with Retry-After when little of the maximum is left",
      { status: 503, retryAfter: "1" },
      { tries: 12, waited: 58_000 },
      { retry: true, wait: 2_000 },
    ],
    ["Retry-After: 0 after the last try", { status: 429, retryAfter: "0" }, { tries: 4 }, { retry: true, wait: 1_500 }],
    [
      "Retry-After: 0 at the maximum",
      { status: 429, retryAfter: "0" },
      { tries: 4, waited: 60_000 },
      { retry: false, waited: 60_000 },
    ],
    [
      "409 with Retry-After: the same request is still running",
      { status: 409, retryAfter: "1" },
      {},
      { retry: true, wait: 1_000 },
    ],
    ["409 without Retry-After", { status: 409 }, {}, { retry: false }],
    ["501", { status: 501 }, {}, { retry: false }],
    ["422", { status: 422 }, {}, { retry: false }],
    ["402: the payment is not final yet", { status: 402, retryAfter: "5" }, {}, { retry: false }],
  ];
  it.each(rows)("%s", (_, failure, change, expected) => {
    expect(decide(failure, { ...state, ...change })).toEqual(expected);
  });
});
