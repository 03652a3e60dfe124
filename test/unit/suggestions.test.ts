import { describe, expect, it } from "vitest";
import { passagesOf } from "../../src/commands/findings/suggest/gather.ts";
import { groupsOf, type Said } from "../../src/commands/findings/suggest/groups.ts";
import { stemmedLanguages, stemsOf } from "../../src/commands/shared/words/stems.ts";

const said = (tester: string, text: string, note: Said["note"] = null, fromMs = 0): Said => ({
  slotId: `slot of ${tester}`,
  tester,
  fromMs,
  toMs: null,
  text,
  note,
});
const noted = (tester: string, text: string, id = text): Said => said(tester, text, { id, kind: "note", severity: null });

const grouped = async (all: readonly Said[], language = "en") =>
  groupsOf(all, await stemsOf(language)).map(({ title, testers, members }) => [title, testers, members.length]);

describe("stems", () => {
  it.each([
    ["en", "It crashes, crashed and is crashing", ["crash", "crash", "crash"]],
    ["de", "die Laternen, der Laterne", ["latern", "latern"]],
    ["fr", "les portes et la porte", ["port", "port"]],
    ["es", "las puertas y la puerta", ["puert", "puert"]],
    ["ru", "двери и дверь", ["двер", "двер"]],
    ["pt-BR", "as portas, a porta", ["port", "port"]],
    ["xx", "The doors", ["the", "doors"]],
  ])("%s: %s", async (language, text, expected) => {
    expect((await stemsOf(language))(text)).toEqual(expected);
  });

  it("are known in all the languages that the help names", async () => {
    for (const language of stemmedLanguages) expect((await stemsOf(language))("lanterna")).toHaveLength(1);
    expect(stemmedLanguages).toHaveLength(12);
  });
});

describe("groups", () => {
  it("hold what several playtesters say in the same words, those of most playtesters first", async () => {
    const all = [
      said("a", "Where is the lantern? I cannot find it."),
      said("b", "I can't find any lanterns."),
      noted("c", "Nobody finds the lantern"),
      said("c", "The cellar door crashed."),
      said("d", "Crash at the cellar door!"),
      said("d", "Nice music."),
    ];
    expect(await grouped(all)).toEqual([
      ["Nobody finds the lantern", 3, 3],
      ["The cellar door crashed.", 2, 2],
    ]);
  });

  it("need two words in common, or the only one, and one playtester alone makes a group of notes only", async () => {
    expect(await grouped([said("a", "The door sticks badly"), said("b", "A door opens quickly")])).toEqual([]);
    expect(await grouped([noted("a", "lantern"), noted("b", "Lanterns?")])).toEqual([["lantern", 2, 2]]);
    expect(await grouped([said("a", "cellar door crash"), said("a", "the cellar door crashed")])).toEqual([]);
    expect(await grouped([noted("a", "cellar door crash"), noted("a", "the cellar door crashed")])).toEqual([
      ["cellar door crash", 1, 2],
    ]);
    expect(await grouped([noted("a", "the"), noted("b", "?!")])).toEqual([]);
  });

  it("are the same whatever order playtesters come in, and cut long titles", async () => {
    const all = ["a", "b", "c", "d"].map((tester) => said(tester, `the cellar door crashed ${"again ".repeat(60)}`));
    const [[title, testers] = []] = await grouped(all.toReversed());
    expect([[...String(title)].length, testers]).toEqual([200, 4]);
  });

  it("hold what each of many playtesters says once in a short video, however large its share of all passages", async () => {
    const testers = Array.from({ length: 20 }, (_, n) => `tester ${n}`);
    const all = testers.flatMap((tester) => [
      said(tester, "I cannot find the lantern anywhere"),
      ...["first", "second"].map((which) => said(tester, `${which}${tester.slice(7)} different${tester.slice(7)} ${which}`)),
    ]);
    expect((await grouped(all)).map(([title, count]) => [title, count])).toContainEqual([
      "I cannot find the lantern anywhere",
      20,
    ]);
  });

  it("can be made of 20 hours of speech", async () => {
    const words = Array.from({ length: 3000 }, (_, n) => `wort${n}`);
    const text = (n: number) =>
      Array.from({ length: 10 }, (_, k) => words[(n * 7919 + k * k * 104_729) % words.length]).join(" ");
    const all = Array.from({ length: 14_400 }, (_, n) => said(`tester ${n % 20}`, text(n), null, n));
    for (let n = 0; n < 20; n++) all.push(said(`tester ${n}`, "the golden lantern is nowhere to be found", null, n));
    const groups = groupsOf(all, await stemsOf("en"));
    expect(groups.some(({ title, testers }) => title.includes("golden lantern") && testers === 20)).toBe(true);
  });
});

it("passages join cues without a pause, up to the end of a sentence", () => {
  const cues = [
    { startMs: 0, endMs: 1000, text: "Where is" },
    { startMs: 1100, endMs: 2000, text: "the lantern?" },
    { startMs: 2100, endMs: 3000, text: "Hm" },
    { startMs: 9000, endMs: 9500, text: "later" },
  ];
  expect(passagesOf(cues)).toEqual([
    { startMs: 0, endMs: 2000, text: "Where is the lantern?" },
    { startMs: 2100, endMs: 3000, text: "Hm" },
    { startMs: 9000, endMs: 9500, text: "later" },
  ]);
});
