import { describe, expect, it } from "vitest";
import type { Ordered } from "../../src/contract/bulk/ordered.ts";
import { makePlan, type PayWith, type Planned } from "../../src/contract/bulk/plan.ts";
import { faultsOf } from "../../src/contract/bulk/read.ts";
import { type Row, readRows } from "../../src/contract/bulk/rows.ts";
import { createSending, type Sender } from "../../src/contract/bulk/send.ts";
import { parseRecords } from "../../src/contract/files/records.ts";
import { orderChecker } from "../../src/contract/order-check.ts";

/** The rules of bulk orders, which the command and Studio share. */

const read = async (text: string, path = "orders") => {
  const { format, records } = await parseRecords(text, path);
  const words = { gameId: (word: string) => word, testerId: (word: string) => word, time: () => ({ fault: "is not a time" }) };
  return readRows(records, { format, game: "lantern", noGame: "", batch: "", check: await orderChecker(), ...words });
};

describe("records of a file", () => {
  it("in JSON begin on the lines on which their braces are, whatever their texts hold", async () => {
    const text = '[\n  {"a": "]},\\" {\\n",\n "b": [1, {"c": 2}]},\n\n  {"a": 2}, {"a": 3}\n]\n';
    const { format, records } = await parseRecords(text, "orders.json");
    expect([format, records.map(({ line }) => line)]).toEqual(["json", [2, 5, 5]]);
  });

  it("in JSON may also be an object on each line", async () => {
    const { format, records } = await parseRecords('{"quantity":1}\n{"quantity":2}\n', "orders.json");
    expect([format, records.map(({ line }) => line)]).toEqual(["ndjson", [1, 2]]);
  });

  it("in YAML hold what their aliases stand for, and begin on their own lines", async () => {
    const text = "- &first\n  notes: &notes Loud\n  tags: [a]\n\n- notes: *notes\n- *first\n";
    const { records } = await parseRecords(text, "orders.yaml");
    expect(records).toEqual([
      { line: 2, fields: { notes: "Loud", tags: ["a"] } },
      { line: 5, fields: { notes: "Loud" } },
      { line: 6, fields: { notes: "Loud", tags: ["a"] } },
    ]);
  });

  it.each([
    ["no anchor", "- notes: *missing\n", "orders.yaml: Unresolved alias"],
    ["itself", "- &a\n  notes: *a\n", "orders.yaml: Converting circular structure to JSON."],
    [
      "ever more",
      `- a0: &a0 [x]\n${Array.from({ length: 9 }, (_, n) => `  a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]\n`).join("")}`,
      "orders.yaml: Excessive alias count",
    ],
  ])("in YAML are refused when an alias stands for %s", async (_, text, message) => {
    await expect(parseRecords(text, "orders.yaml")).rejects.toThrow(message);
  });

  it("a list that is YAML and no JSON is read as YAML", async () => {
    expect(await parseRecords("[{quantity: 1}]", "-")).toMatchObject({ format: "yaml", records: [{ fields: { quantity: 1 } }] });
  });

  it.each([
    ["[1]", "orders.json, line 1: must be an object with the fields of an order."],
    ["3", "orders.json must contain a list of orders."],
    ["[{]", "orders.json: not valid JSON: "],
    ['[{"quantity":1,"quantity":10}]', 'orders.json: not valid JSON: the field "quantity" occurs twice.'],
    ['{"quantity":1}\n{"quantity":1,"quantity":10}', 'orders.json, line 2: not valid JSON: the field "quantity" occurs twice.'],
    ["[".repeat(40), "orders.json: not valid JSON: it is nested more than 32 deep."],
  ])("in JSON: %s is refused", async (text, message) => {
    await expect(parseRecords(text, "orders.json")).rejects.toThrow(message);
  });
});

it("a row has one key in every format", async () => {
  const texts = [
    "quantity,notesForTesters\n2,Go left\n",
    '[{"quantity":2,"notesForTesters":"Go left"}]',
    '{"quantity":2,"notesForTesters":"Go left"}\n',
    "- quantity: 2\n  notesForTesters: Go left\n",
  ];
  const keys = await Promise.all(texts.map(async (text) => (await read(text)).rows[0]!.key));
  expect(new Set(keys).size).toBe(1);
});

it("faults are told by line, the first hundred of them", () => {
  const faults = Array.from({ length: 101 }, (_, index) => ({ line: 101 - index, field: "ref", message: "is wrong" }));
  const { message, details } = faultsOf(faults, "orders.csv");
  expect(message).toBe("orders.csv has 101 errors. Nothing was ordered. The first 100:");
  expect([details.length, details[0]]).toEqual([100, { field: "line 1: ref", message: "is wrong" }]);
});

const rowsOf = async (...quantities: number[]): Promise<Row[]> => (await read(`quantity\n${quantities.join("\n")}\n`)).rows;
const prices = (balanceCents: number, minutesAvailable = 0) =>
  new Map([["private 60 1", { costPerSlotCents: 2000, balanceCents, minutesAvailable }]]);

describe("a plan", () => {
  it("takes hours for the rows that they cover, then credit, and ends where the funds do", async () => {
    const plan = makePlan(await rowsOf(1, 2, 1, 1), prices(5000, 60), "any");
    expect(plan.rows.map(({ payWith, cents, minutes }) => [payWith, cents, minutes])).toEqual([
      ["hours", 0, 60],
      ["credit", 4000, 0],
      [undefined, 2000, 0],
      [undefined, 2000, 0],
    ]);
    expect(plan).toMatchObject({ cents: 4000, minutes: 60, beyond: 2, missing: { cents: 3000 } });
  });

  it("that was shown pays its rows as it said, also when the funds are used up since", async () => {
    const rows = await rowsOf(1, 1, 1);
    const shown = new Map<string, PayWith | undefined>([
      [rows[0]!.key, "hours"],
      [rows[1]!.key, "credit"],
      [rows[2]!.key, undefined],
    ]);
    const plan = makePlan(rows, prices(0), "any", { shown });
    expect(plan.rows.map(({ payWith }) => payWith)).toEqual(["hours", "credit", undefined]);
  });
});

describe("sending", () => {
  async function sent(quantities: number[], change: Partial<Sender<{ message: string }>>) {
    const asked: number[] = [];
    const plan = makePlan(await rowsOf(...quantities), prices(100_000), "any");
    const place = async ({ line, cents }: Planned): Promise<Ordered & { skipped: boolean }> => {
      asked.push(line);
      return { playtestId: String(line), status: "active", cents, minutes: 0, paidWith: "credit", skipped: false };
    };
    const { tally, one } = createSending<{ message: string }>({
      earlier: () => undefined,
      maxCents: undefined,
      ready: async () => true,
      refusal: () => undefined,
      place,
      failed: async () => "funds",
      overpriced: () => {},
      onRow: async () => {},
      ...change,
    });
    for (const row of plan.rows) await one(row);
    return { tally, asked };
  }

  it("orders nothing above the limit, and no cheaper row behind it", async () => {
    const { tally, asked } = await sent([1, 2, 1], { maxCents: 5000 });
    expect([asked, tally.stopped]).toEqual([[2], "limit"]);
  });

  it("what an earlier run was charged does not count against the limit", async () => {
    const ordered = { playtestId: "p", status: "active", cents: 2000, minutes: 0, paidWith: "credit", skipped: true } as const;
    const { tally } = await sent([1, 1, 1], { maxCents: 2000, place: async () => ordered });
    expect([tally.done.length, tally.stopped]).toEqual([3, undefined]);
  });

  it("goes on after a row that is refused, and ends at what every row would get", async () => {
    const place = async ({ line }: Planned) => Promise.reject(new Error(String(line)));
    const failed = async ({ line }: Planned) => ({ error: { message: `line ${line}` }, ends: line === 3 });
    const { tally } = await sent([1, 1, 1], { place, failed });
    expect([tally.failed.map(({ row }) => row.line), tally.stopped]).toEqual([[2], { message: "line 3" }]);
  });

  it("ends at an order that was left unpaid, and before the first when it is not ready", async () => {
    const unpaid = {
      playtestId: "p",
      status: "pending_payment",
      cents: 0,
      minutes: 0,
      paidWith: "none",
      skipped: false,
    } as const;
    const { tally } = await sent([1, 1], { place: async () => unpaid });
    expect([tally.done.length, tally.stopped]).toEqual([1, "funds"]);
    expect(await sent([1], { ready: async () => false })).toMatchObject({ asked: [], tally: { stopped: "signal" } });
  });
});
