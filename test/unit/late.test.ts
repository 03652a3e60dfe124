import { expect, it } from "vitest";
import { late, loadLateParts } from "../../server/lib/late.ts";

it("late parts: are loaded one after another, also those that a part brings along, until the server stops", async () => {
  const order: string[] = [];
  const stopping = new AbortController();
  const part = (name: string, then = () => {}) =>
    late(async () => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      then();
      order.push(`${name} ends`);
    });
  part("first", () => part("brought along", () => stopping.abort()));
  const second = part("second");
  await loadLateParts(stopping.signal);
  expect(order).toEqual([
    "first begins",
    "first ends",
    "second begins",
    "second ends",
    "brought along begins",
    "brought along ends",
  ]);

  part("after the end");
  order.length = 0;
  await loadLateParts(stopping.signal);
  await second();
  expect(order).toEqual(["second begins", "second ends"]);
});
