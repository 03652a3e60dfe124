import { describe, expect, it } from "vitest";
import { formatOf } from "../../src/cli/view.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { type JsonSchema, replySchema } from "../../src/contract/openapi/json-schema.ts";
import { operations } from "../../src/contract/static.ts";

/** The names of the fields in a schema that are of a kind. */
function namesIn(schema: JsonSchema, isOfKind: (field: JsonSchema) => boolean): string[] {
  const fields = Object.entries(schema.properties ?? {}) as [string, JsonSchema][];
  const inner = [
    ...fields.map(([, field]) => field),
    ...(schema.anyOf ?? []),
    schema.items,
    ...Object.values(schema.$defs ?? {}),
  ];
  const here = fields.filter(([, field]) => [field, ...(field.anyOf ?? [])].some((one) => isOfKind(one as JsonSchema)));
  return [
    ...here.map(([name]) => name),
    ...inner.flatMap((one) => (one && typeof one === "object" ? namesIn(one as JsonSchema, isOfKind) : [])),
  ];
}

const names = (isOfKind: (field: JsonSchema) => boolean) =>
  [...new Set(Object.values(contract).flatMap(({ reply }) => namesIn(replySchema(reply), isOfKind)))].sort();

describe("format of a field by its name", () => {
  it.each([
    ["payoutCents", "usd"],
    ["cents", "usd"],
    ["createdAt", "ago"],
    ["submission.createdAt", "ago"],
    ["id", "id"],
    ["slot.id", "id"],
    ["paid", "text"],
    ["playtestId", "id"],
    ["status", "status"],
    ["payoutStatus", "status"],
    ["state", "status"],
    ["statusCode", "text"],
    ["size", "bytes"],
    ["videoFileSize", "bytes"],
    ["durationMinutes", "minutes"],
    ["spentMinutes", "text"],
    ["format", "text"],
  ])("%s: %s", (path, format) => {
    expect(formatOf(path)).toBe(format);
  });

  it("is a time for no field that the contract does not declare as one", () => {
    const times = names((field) => field.format === "date-time");
    const numbers = names((field) => field.type === "integer" || field.type === "number");
    expect(times.length).toBeGreaterThan(40);
    expect(numbers.filter((name) => formatOf(name) === "ago")).toEqual([]);
    expect(times.filter((name) => !["ago", "text"].includes(formatOf(name)))).toEqual([]);
  });

  it("is an amount of money for numbers only", () => {
    const texts = names((field) => field.type === "string" || field.type === "boolean");
    expect(texts.filter((name) => ["usd", "bytes", "minutes"].includes(formatOf(name)))).toEqual([]);
  });
});

describe("command without a run of its own", async () => {
  const { groups } = await import("../../src/cli/groups.ts");
  const all = (await Promise.all(groups.map(async ({ load }) => (await load()).commands))).flat();
  const shown = all.filter((command) => "view" in command);

  it("has an argument for each parameter of the path", () => {
    const parameters = (operation: Operation) =>
      operations[operation].path.split("/").filter((part) => part.startsWith(":")).length;
    const differing = shown.filter(({ args, operations: [main] }) => Object.keys(args ?? {}).length !== parameters(main!));
    expect(shown.length).toBeGreaterThan(50);
    expect(differing.map(({ name }) => name)).toEqual([]);
  });
});
