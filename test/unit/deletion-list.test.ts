import { expect, it } from "vitest";
import { deletionLine, parseDeletions } from "../../server/operations/backups/deletion-list.ts";

const [one, two] = ["019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"];

it("a line that a full disk cut, and that was written again, is no line of the list", () => {
  const cut = deletionLine(one, 1000).slice(0, 20);
  const text = `${deletionLine(two, 0)}${cut}${deletionLine(two, 0)}${deletionLine(one, 1000)}`;
  expect([...parseDeletions(text)!]).toEqual([
    [two, 0],
    [one, 1000],
  ]);
});

it.each([["ids"], [`${one} yesterday`], [deletionLine(one, 0).slice(0, 30)]])("%j is no list", (text) => {
  expect(parseDeletions(text)).toBeUndefined();
});
