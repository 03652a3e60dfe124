import { expect, it } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { inParts } from "../../src/commands/shared/parts.ts";

const sending = (failsAt: number) => {
  const warnings: string[] = [];
  const ctx = { out: { warn: (text: string) => void warnings.push(text) } } as unknown as Context;
  const send = async (part: readonly number[]) => {
    if (part.includes(failsAt)) throw new Error(`row ${failsAt} is refused`);
    return part.length;
  };
  return { warnings, sent: inParts(ctx, [1, 2, 3, 4, 5], 2, send) };
};

it("rows are sent in parts, each with its reply", async () => {
  const { warnings, sent } = sending(0);
  expect((await sent).map(({ part, reply }) => [part, reply])).toEqual([
    [[1, 2], 2],
    [[3, 4], 2],
    [[5], 1],
  ]);
  expect(warnings).toEqual([]);
});

it.each([
  [5, ["The first 4 of 5 rows are done. The error is about the others. It is safe to run the command again."]],
  [2, []],
])("says what was done before row %i failed, if anything was", async (failsAt, said) => {
  const { warnings, sent } = sending(failsAt);
  await expect(sent).rejects.toThrow(`row ${failsAt} is refused`);
  expect(warnings).toEqual(said);
});
