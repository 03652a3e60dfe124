import { describe, expect, it } from "vitest";
import { fieldFlag, flag, parseMoney } from "../../src/cli/flags.ts";
import { tree } from "../../src/cli/tree.ts";
import { type Field, operations } from "../../src/contract/static.ts";
import { usd } from "../../src/io/text.ts";

const fields = Object.entries(operations).flatMap(([operation, { body, query }]) =>
  [...body, ...query.filter(({ name }) => name !== "limit")].map((field): [string, Field] => [
    `${operation} ${field.name}`,
    field,
  ]),
);
const bounded = fields.filter(([, { min, max, array }]) => min !== undefined && max !== undefined && !array);

describe("help of a flag for a field of the contract", () => {
  it.each(bounded)("%s: shows the range in the unit that the flag takes", (_, field) => {
    const { summary, parse } = fieldFlag(field);
    const [, low = "", high = ""] = /\((?:.*; )?(\S+) to (\S+?)(?:;.*)?\)$/.exec(summary) ?? [];
    expect([parse(low, "--x"), parse(high, "--x")]).toEqual([field.min, field.max]);
  });

  it.each(fields.filter(([, { name }]) => name.endsWith("Cents")))("%s: never speaks of cents", (_, field) => {
    expect(fieldFlag(field)).toMatchObject({ value: "USD", summary: expect.not.stringMatching(/cent|\d{4}/i) });
  });

  it.each(bounded)("%s: leaves the range to the contract's min and max", (_, { description = "" }) => {
    expect(description).not.toMatch(/\d/);
  });
});

it("flag.field: a command's own flag for a field of the contract has its range", () => {
  const summaries = tree.commands
    .filter(({ path }) => path[0] === "admin")
    .flatMap(({ path, flags }) =>
      flags.filter(({ summary }) => /\d to /.test(summary)).map((one) => `${path.join(" ")} --${one.name}: ${one.summary}`),
    );
  expect(summaries).toMatchInlineSnapshot(`
    [
      "admin grant --credit: Credit to grant ($0.01 to $1,000,000.00)",
      "admin grant --minutes: Playtest minutes to grant (1 to 10000000)",
      "admin suspense resolve --rate: Price of one whole coin (default: the recorded rate; $0.01 to $1,000,000.00)",
      "admin payouts create --amount: Amount paid ($0.01 to $1,000,000.00)",
      "admin payouts create --min: Only playtesters with at least this much available ($0.01 to $1,000,000.00)",
    ]
  `);
});

it("flag.integer: shows its range", () => {
  expect(flag.integer("Number of orders (default 1)", { min: 1, max: 1000 }).summary).toBe(
    "Number of orders (default 1; 1 to 1000)",
  );
  expect(flag.integer("Stop after this many", { min: 1 }).summary).toBe("Stop after this many");
});

it.each([2000, 1_000_000, 123_456_789, 5])("parseMoney: reads back %i cents as usd prints them", (cents) => {
  expect(parseMoney(usd(cents), "--x")).toBe(cents);
});

it.each(["1,000", "$1,00", "$1,0000", "$,100", "$10,00.00"])("parseMoney: refuses %s", (text) => {
  expect(() => parseMoney(text, "--amount")).toThrow("--amount: ");
});
