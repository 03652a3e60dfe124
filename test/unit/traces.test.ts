import { describe, expect, it, vi } from "vitest";
import { createStripeCards } from "../../server/billing/cards/stripe.ts";
import { createLog } from "../../server/lib/log.ts";
import { currentTrace, traceIn, traceOf, traceText, withTrace } from "../../server/lib/trace.ts";
import { tracedFetch } from "../../server/outbound/traced-fetch.ts";
import { startReceiver, status } from "../helpers/receiver.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";
const header = `00-${id}-00f067aa0ba902b7-01`;
const trace = traceOf(header)!;

describe("traceparent", () => {
  it("is read as W3C Trace Context defines it, of a later version what this one knows", () => {
    expect(trace).toEqual({ id, headers: { traceparent: header } });
    expect(traceOf(`cc-${id}-00f067aa0ba902b7-01-what-comes-later`)).toEqual({ id, headers: { traceparent: header } });
    expect(traceOf(`00-${id}-00f067aa0ba902b7-00`)?.headers.traceparent).toBe(`00-${id}-00f067aa0ba902b7-00`);
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

describe("tracestate", () => {
  const stateOf = (state: string | undefined) => traceOf(header, state)?.headers.tracestate;
  const long = `long=${"a".repeat(130)}`;
  const short = (name: string) => `${name}=${"b".repeat(118)}`;

  it.each([
    ["as it came", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"],
    ["with the keys and values that are allowed", "1a@b_c-d*e/f= !~,z=a b", "1a@b_c-d*e/f= !~,z=a b"],
    ["without spaces around members, and without empty ones", " a=1 ,,\tb=2 , ", "a=1,b=2"],
    ["of 32 members", Array(32).fill("a=1").join(","), Array(32).fill("a=1").join(",")],
    [
      "of 512 characters at most: long members go first",
      [short("a"), long, short("b"), short("c"), short("d")].join(","),
      [short("a"), short("b"), short("c"), short("d")].join(","),
    ],
    [
      "of 512 characters at most: then the last ones",
      [long, short("a"), short("b"), short("c"), short("d"), short("e")].join(","),
      [short("a"), short("b"), short("c"), short("d")].join(","),
    ],
  ])("is passed on %s", (_, given, passed) => {
    expect(stateOf(given)).toBe(passed);
  });

  it.each([
    ["nothing", undefined],
    ["an empty header", ""],
    ["a member without a value", "a=1,b"],
    ["a member with an empty value", "a="],
    ["a key with a capital letter", "A=1"],
    ["a value with another equals sign", "a=1=2"],
    ["a value with a line feed", "a=1\nb"],
    ["33 members", Array(33).fill("a=1").join(",")],
  ])("is not passed on: %s", (_, given) => {
    expect(traceOf(header, given)).toEqual(trace);
  });

  it("is nothing without a valid traceparent", () => {
    expect(traceOf("no", "a=1")).toBeUndefined();
  });

  it("is kept in a row with its traceparent", () => {
    for (const state of [undefined, "a=1", "a=b c,d=e f"]) {
      const given = traceOf(header, state)!;
      expect(traceIn(traceText(given))).toEqual(given);
    }
    expect([traceIn(null), traceIn(header)]).toEqual([undefined, trace]);
  });
});

it("a request that goes out says of which trace it is a part, with what it has besides", async () => {
  const receiver = await startReceiver();
  const send = () => tracedFetch(receiver.url, { method: "POST", headers: { "x-own": "1" } });
  await withTrace(traceOf(header, "a=1"), send);
  await send();
  expect(receiver.received.map(({ headers }) => [headers.traceparent, headers.tracestate, headers["x-own"]])).toEqual([
    [header, "a=1", "1"],
    [undefined, undefined, "1"],
  ]);
  await receiver.close();
});

it("a request of Stripe's library says of which trace it is a part, each attempt of it", async () => {
  const stripe = await startReceiver(status(503, { "stripe-should-retry": "true" }));
  const settings = { secretKey: "sk_test_1", webhookSecret: "whsec_1", apiUrl: `http://127.0.0.1:${stripe.port}` };
  const cards = await createStripeCards(settings);
  const asked = withTrace(traceOf(header, "a=1"), () => cards.lookUp("cs_test_1"));
  await expect(asked).rejects.toThrow("The card processor is not responding");
  await expect(cards.lookUp("cs_test_1")).rejects.toThrow("The card processor is not responding");
  expect(stripe.received.map(({ headers }) => [headers.traceparent, headers.tracestate])).toEqual([
    ...Array(3).fill([header, "a=1"]),
    ...Array(3).fill([undefined, undefined]),
  ]);
  expect(stripe.received[0]!.headers.authorization).toBe("Bearer sk_test_1");
  await stripe.close();
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
