import { expect, it } from "vitest";
import { tracer } from "../../src/cli/trace.ts";

const notice = "This request has not succeeded yet. It is sent again for up to 60 s (--max-wait).\n";
const rows = [
  { what: "is told once that the server is waited for", flags: {}, waits: [2_000, 9_999, 10_000, 18_000], said: [notice] },
  { what: "is told nothing of a short wait", flags: {}, waits: [250, 750], said: [] },
  { what: "with --quiet is told nothing", flags: { quiet: true }, waits: [10_000], said: [] },
  {
    what: "with --verbose is told of each attempt instead",
    flags: { verbose: true },
    waits: [10_000],
    said: ["… attempt 3 failed; retrying in 1000 ms\n"],
  },
];

it.each(rows)("whoever waits for a command $what", ({ flags, waits, said }) => {
  const lines: string[] = [];
  const trace = tracer({ verbose: false, debug: false, quiet: false, ...flags, err: (text) => void lines.push(text) });
  for (const waited of waits) trace({ kind: "retry", wait: 1_000, tries: 3, waited, maxWait: 60_000 });
  expect(lines).toEqual(said);
});
