import { expect, it } from "vitest";
import { nextAttemptAt, retryAfterMs, waitsMs } from "../../server/events/webhooks/schedule.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

it("webhook deliveries are tried eight times", () => {
  expect(waitsMs).toEqual([0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]);
});

it.each([
  { attempts: 1, random: 0, wait: 4 * second },
  { attempts: 1, random: 0.5, wait: 5 * second },
  { attempts: 1, random: 1, wait: 6 * second },
  { attempts: 2, random: 0, wait: 4 * minute },
  { attempts: 7, random: 1, wait: 12 * hour },
  { attempts: 8, random: 0, wait: null },
])("webhook retry: after $attempts failed attempts with jitter $random: $wait ms", ({ attempts, random, wait }) => {
  expect(nextAttemptAt(attempts, now, random)).toBe(wait === null ? null : now + wait);
});

it.each([
  { asked: 2 * second, attempts: 1, wait: 5 * second },
  { asked: 2 * minute, attempts: 1, wait: 2 * minute },
  { asked: 2 * hour, attempts: 1, wait: hour },
  { asked: 9 * hour, attempts: 4, wait: 4 * hour },
])("webhook retry: after $attempts failed attempts and Retry-After of $asked ms: $wait ms", ({ asked, attempts, wait }) => {
  expect(nextAttemptAt(attempts, now, 0.5, asked)).toBe(now + wait);
});

it.each([
  [undefined, 0],
  ["120", 2 * minute],
  ["Sun, 01 Mar 2026 12:10:00 GMT", 10 * minute],
  ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
  ["-5", 0],
  ["soon", 0],
  ["120x", 0],
])("webhook retry: Retry-After %s is %i ms", (header, wait) => {
  expect(retryAfterMs(header, now)).toBe(wait);
});
