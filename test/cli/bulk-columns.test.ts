import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture(100_000);
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function bulk(text: string, flags: readonly string[] = [], name = "orders.csv") {
  writeFileSync(join(folder, name), text);
  return fixture.run(["bulk", name, "--game", fixture.gameId, "--yes", ...flags], { cwd: folder });
}
const orders = async () => {
  const made: { quantity: number; durationMinutes: number; notesForTesters: string | null }[] = (
    await fixture.owner.get(`/games/${fixture.gameId}/playtests`)
  ).body.data.playtests;
  return made.map(({ quantity, durationMinutes, notesForTesters }) => [quantity, durationMinutes, notesForTesters]);
};
const one = (text: string) => text.replace(/\s+/g, " ");

/** The file is refused with these words, and nothing is ordered. */
async function refused(text: string, words: string[], flags: readonly string[] = [], name?: string) {
  const ran = await bulk(text, flags, name);
  for (const said of words) expect(one(ran.stderr)).toContain(said);
  expect([ran.code, await orders()]).toEqual([2, []]);
}

describe("the columns of bulk", () => {
  it.each([
    ["the names of the contract", "quantity,durationMinutes,notesForTesters\n2,30,Loud\n"],
    ["other names", "Qty,Duration Minutes,Notes\n2,30,Loud\n"],
    ["names as in a spreadsheet", "Number of testers;Length (minutes);Note\n2;30;Loud\n"],
    ["names with underscores", "tester_count\tduration_min\ttester_notes\n2\t30\tLoud\n"],
    ["lines between columns", "slots|minutes|notes\n2|30|Loud\n"],
    ["decimals of a spreadsheet", "count,minutes,notes\n2.0,30.00,Loud\n"],
    ["columns with #", "#,#author,quantity,minutes,notes\n1,Ada,2,30,Loud\n"],
  ])("%s are understood", async (_, text) => {
    const ran = await bulk(text);
    expect([ran.code, await orders()]).toEqual([0, [[2, 30, "Loud"]]]);
  });

  it.each(["#,qty,minutes,notes\n1,2,30,Loud\n", "#author\tcount\tminutes\tnotes\nAda\t2\t30\tLoud\n"])(
    "those of a table whose first column has #, whatever its file is called: %j",
    async (text) => {
      const ran = await bulk(text, [], "orders.txt");
      expect([ran.stderr, ran.code, await orders()]).toEqual([expect.any(String), 0, [[2, 30, "Loud"]]]);
    },
  );

  it("YAML that begins with a comment is no table", async () => {
    const ran = await bulk("# of November\n\n# and more\n- {qty: 2, minutes: 30, notes: Loud}\n", [], "orders.txt");
    expect([ran.code, await orders()]).toEqual([0, [[2, 30, "Loud"]]]);
  });

  it.each([
    ["another language", "Anzahl;Dauer\n2;30\n3;60\n"],
    ["colons between columns", "quantity:minutes\n2:30\n"],
    ["no headings", "2,30\n3,60\n"],
  ])("%s: a file of which nothing is understood orders nothing", async (_, text) => {
    await refused(text, ["has no column that an order has", "Nothing was ordered.", "Known columns: game,"]);
  });

  it.each([
    ["quantity,Budget\n1,5\n", "Budget: unknown field. If it is not meant for the order, leave it out with --ignore-columns."],
    ["quantity,durationMinuets\n1,30\n", "durationMinuets: unknown field. Did you mean durationMinutes?"],
    ["quantity,notes for everybody\n1,Loud\n", "notes for everybody: unknown field. Did you mean notesForTesters?"],
    ["quantity,dura\n1,30\n", "dura: unknown field. Did you mean durationMinutes?"],
  ])("one that no order has is named: %j", async (text, words) => {
    await refused(text, [words]);
  });

  it("one that no order has is left out when it is named, whatever its spelling", async () => {
    const text = "quantity,Budget,Cost Center\n2,5,x\n";
    await refused(text, ["Cost Center: unknown field."], ["--ignore-columns", "budget"]);
    expect((await bulk(text, ["--ignore-columns", "budget,cost_center"])).code).toBe(0);
    expect(await orders()).toEqual([[2, 60, null]]);
  });

  it("two of one field are refused, and so are numbers that are not whole", async () => {
    await refused("quantity,Qty\n1,2\n", ['"quantity" and "Qty" both give the field quantity. Nothing was ordered.']);
    await refused("quantity,minutes\n1.5,30\n", ["quantity"]);
  });

  it.each([
    ["orders.yaml", "- {count: 2, length: 30, notes: Loud}\n", "- {count: 2, colour: red}\n"],
    ["orders.ndjson", '{"count":2,"minutes":30,"note":"Loud"}\n', '{"count":2,"colour":"red"}\n'],
  ])("hold for %s as well", async (name, good, bad) => {
    await refused(bad, ["colour: unknown field."], [], name);
    expect((await bulk(good, [], name)).code).toBe(0);
    expect(await orders()).toEqual([[2, 30, "Loud"]]);
  });
});
