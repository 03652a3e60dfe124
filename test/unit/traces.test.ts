import { describe, expect, it, vi } from "vitest";
import { createLog } from "../../server/lib/log.ts";
import { currentTrace, traceOf, withTrace } from "../../server/lib/trace.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";
const header = `00-${id}-00f067aa0ba902b7-01`;
const trace = traceOf(header)!;

describe("traceparent", () => {
  it("is read as W3C Trace Context defines it, of a later version what this one knows", () => {
    expect(trace).toEqual({ id, traceparent: header });
    expect(traceOf(`cc-${id}-00f067aa0ba902b7-01-what-comes-later`)).toEqual({ id, traceparent: header });
    expect(traceOf(`00-${id}-00f067aa0ba902b7-00`)?.traceparent).toBe(`00-${id}-00f067aa0ba902b7-00`);
  });

  it.each([
    ["no header", undefined],
    ["nothing", ""],
    ["the version ff", `ff-${id}-00f067aa0ba902b7-01`],
    ["a trace of zeros", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    ["a parent of zeros", `00-${id}-${"0".repeat(16)}-01`],
    ["capital letters", header.toUpperCase()],
    ["more than its version has", `${header}-more`],
    ["a later version without a dash", `cc-${id}-00f067aa0ba902b7-01.more`],
    ["too few digits", header.slice(0, -1)],
    ["spaces", ` ${header}`],
    ["several headers", [header, header]],
  ])("is not read from %s", (_, given) => {
    expect(traceOf(given)).toBeUndefined();
  });
});

it("work is a part of its own trace, whatever else runs", async () => {
  const other = traceOf(`00-${"a".repeat(32)}-00f067aa0ba902b7-01`)!;
  const seen = await withTrace(trace, async () => {
    const none = withTrace(undefined, async () => Promise.resolve().then(() => currentTrace()));
    const inner = withTrace(other, async () => Promise.resolve().then(() => currentTrace()));
    return [await none, await inner, currentTrace()];
  });
  expect([...seen, currentTrace()]).toEqual([undefined, other, trace, undefined]);
});

it("lines of the log name the trace", async () => {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(...text.trim().split("\n"));
  const log = await createLog({ level: "info", text: false, write });
  withTrace(trace, () => {
    log.warn({ a: 1 }, "in a trace");
    log.access({ requestId: id });
  });
  log.info({}, "in none");
  await vi.waitFor(() => expect(lines).toHaveLength(3));
  expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([id, id, undefined]);
});
