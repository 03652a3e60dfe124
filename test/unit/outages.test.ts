import { expect, it } from "vitest";
import type { Log } from "../../server/lib/log.ts";
import { Outages } from "../../server/lib/outages.ts";

const minute = 60_000;
const start = Date.parse("2026-11-28T14:00:00Z");

/** What the log has after emails failed (a reason) or were sent (null), each at its minute. */
function logOf(...events: (readonly [minute: number, reason: string | null])[]): string[] {
  let now = start;
  const lines: string[] = [];
  const line = (level: string) => (context: object, text: string) =>
    void lines.push(`${(now - start) / minute} ${level} ${text} ${JSON.stringify(context)}`);
  const outages = new Outages({ warn: line("warn"), info: line("info") } as unknown as Log, () => now);
  for (const [at, reason] of events) {
    now = start + at * minute;
    if (reason === null) outages.worked("sending emails");
    else outages.failed("sending emails", reason);
  }
  return lines;
}

const since = '"since":"2026-11-28T14:00:00.000Z"';

it.each([
  ["nothing of what works", [[0, null]], []],
  [
    "the first failure, the number of the others every quarter of an hour, and the end",
    [...Array.from({ length: 40 }, (_, at) => [at, "ECONNREFUSED"] as const), [41, null], [42, null]],
    [
      `0 warn sending emails fails, and is tried again. The newest reason: ECONNREFUSED {"failures":1,${since}}`,
      `15 warn sending emails fails, and is tried again. The newest reason: ECONNREFUSED {"failures":16,${since}}`,
      `30 warn sending emails fails, and is tried again. The newest reason: ECONNREFUSED {"failures":31,${since}}`,
      `41 info sending emails works again {"failures":40,${since}}`,
    ],
  ],
  [
    "few lines of one mailbox that is full while the others are not",
    Array.from({ length: 29 }, (_, at) => [at, at % 2 === 0 ? "452 mailbox full" : null] as const),
    [
      `0 warn sending emails fails, and is tried again. The newest reason: 452 mailbox full {"failures":1,${since}}`,
      `1 info sending emails works again {"failures":1,${since}}`,
      `16 warn sending emails fails, and is tried again. The newest reason: 452 mailbox full {"failures":1,"since":"2026-11-28T14:16:00.000Z"}`,
      `17 info sending emails works again {"failures":1,"since":"2026-11-28T14:16:00.000Z"}`,
    ],
  ],
] as const)("the log has %s", (_what, events, lines) => {
  expect(logOf(...events)).toEqual(lines);
});
