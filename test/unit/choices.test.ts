import { expect, it } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { arg, define } from "../../src/cli/define.ts";
import { buildInput } from "../../src/cli/input.ts";

const command = define({
  name: "show",
  summary: "Show a thing",
  risk: "local",
  args: { key: { ...arg.text("Key"), id: { pick: "listApiKeys", label: "name" } } },
  async run() {},
} as never);

it.each([
  [100, "Which key?"],
  [101, "Which key? There are more than these 100: for another, pass <key> as an argument."],
])("an omitted id is chosen among %d items: %s", async (count, expected) => {
  const all = Array.from({ length: count }, (_, index) => ({ id: `${index}`.padStart(36, "0"), name: `Key ${index}` }));
  let asked: { question: string; shown: number } | undefined;
  const ctx = {
    async *pages(_operation: string, _input: object, { limit }: { limit: number }) {
      yield { items: all.slice(0, limit) };
    },
    prompt: {
      possible: true,
      async choose(question: string, choices: { value: string }[]) {
        asked = { question, shown: choices.length };
        return choices[0]!.value;
      },
    },
  } as unknown as Context;
  await buildInput(command as never, { words: [], raw: {} } as never, ctx);
  expect(asked).toEqual({ question: expected, shown: 100 });
});
