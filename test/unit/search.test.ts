import { describe, expect, it } from "vitest";
import { findIn, indexedWords, type Line, passagesOf } from "../../server/search/passage-rules.ts";
import { asWritten, phrasesOf, wordsOf } from "../../server/search/rules.ts";

const words = (text: string) => wordsOf(text).map(({ word }) => word);

describe("words", () => {
  it.each<[text: string, words: string[]]>([
    ["Can't FIND the door!", ["cant", "find", "the", "door"]],
    ["can’t", ["cant"]],
    ["'quoted' rock ’n’ roll", ["quoted", "rock", "n", "roll"]],
    ["Türöffner naïve Ångström", ["turoffner", "naive", "angstrom"]],
    ["İstanbul", ["istanbul"]],
    ["low-poly v1.2 a_b", ["low", "poly", "v1", "2", "a", "b"]],
    ["鍵がない ABC扉", ["鍵", "か\u3099", "な", "い", "abc", "扉"].map((word) => word.normalize("NFC"))],
    ["ﬁnd ½ ①", ["find", "12", "1"]],
    ["e\u0301te\u0301", ["ete"]],
    ["\u0301 ❤ :-) \u{1f600} --", []],
    ["x".repeat(70), ["x".repeat(64)]],
  ])("of %j are %j", (text, expected) => expect(words(text)).toEqual(expected));

  it("stand where they are in the text", () => {
    const text = "Où est l’été?";
    expect(wordsOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(["Où", "est", "l’été"]);
  });
});

describe("a search", () => {
  it.each<[search: string, phrases: string]>([
    ["find door", "find|door"],
    ['"find the" door', "find the|door"],
    ["“find the” door", "find the|door"],
    ['big find  "the door" key', "big|find|the door|key"],
    ['"ab c" "a bc"', "ab c|a bc"],
    ['find "the door', "find|the|door"],
    ['"" " " door', "door"],
    ["low-poly low-poly", "low poly"],
    ["door AND (NOT key*)", "door|and|not|key"],
    ["*", ""],
  ])("%j looks for %s", (search, phrases) =>
    expect(
      phrasesOf(search)
        .map((phrase) => phrase.join(" "))
        .join("|"),
    ).toBe(phrases),
  );
});

describe("passages", () => {
  const said = (count: number, perLine: number): Line[] =>
    Array.from({ length: Math.ceil(count / perLine) }, (_, line) => ({
      atMs: line * 1000,
      text: Array.from({ length: Math.min(perLine, count - line * perLine) }, (_, i) => `w${line * perLine + i}`).join(" "),
    }));

  it.each([
    [0, 5],
    [1, 5],
    [60, 5],
    [61, 60],
    [500, 7],
    [500, 500],
    [500, 61],
  ])("of %i words in lines of %i have each word as their own once, in its order", (count, perLine) => {
    const own = passagesOf(said(count, perLine)).flatMap(({ lines, from, to }) => lines.slice(from, to));
    expect(own.flatMap(({ text }) => words(text))).toEqual(Array.from({ length: count }, (_, i) => `w${i}`));
    for (const { text } of own) expect(words(text).length).toBeLessThanOrEqual(60);
  });

  /** Lines of so many words each. */
  const linesOf = (counts: readonly number[]): Line[] =>
    counts.map((count, atMs) => ({ atMs, text: Array.from({ length: count }, (_, i) => `w${atMs}x${i}`).join(" ") }));

  it.each<[counts: number[], passages: string[]]>([
    [[60], ["| 60 |"]],
    [
      [30, 30, 1],
      ["| 30 30 | 1", "30 | 1 |"],
    ],
    [
      [59, 2],
      ["| 59 | 2", "59 | 2 |"],
    ],
    [
      [60, 10, 8, 1, 1, 5],
      ["| 60 | 10 8 1", "60 | 10 8 1 1 5 |"],
    ],
    [[121], ["| 60 | 60", "60 | 60 | 1", "60 | 1 |"]],
  ])(
    "of lines of %j words have at most 60, the line before, and those behind of which the next 19 words are",
    (counts, expected) => {
      const count = (lines: readonly Line[]) => lines.map(({ text }) => words(text).length).join(" ");
      const shown = passagesOf(linesOf(counts)).map(({ lines, from, to }) =>
        [lines.slice(0, from), lines.slice(from, to), lines.slice(to)].map(count).join(" | ").trim(),
      );
      expect(shown).toEqual(expected);
    },
  );

  it("are found by their own words and those behind them", () => {
    const [first, second] = passagesOf(linesOf([59, 2, 1]));
    expect(indexedWords(first!)).toHaveLength(62);
    expect(indexedWords(second!).map(({ word }) => word)).toEqual(["w1x0", "w1x1", "w2x0"]);
  });

  it("have no line without text, other lines as they are, and the pieces of a long one without spaces around them", () => {
    const texts = (...lines: string[]) => passagesOf(lines.map((text, atMs) => ({ atMs, text }))).flatMap(({ lines }) => lines);
    expect(texts(" one ", " ", "", "–", "two").map(({ text }) => text)).toEqual([" one ", "–", "two"]);
    const sixty = Array.from({ length: 60 }, (_, i) => `w${i}`).join(" ");
    expect(texts(`${sixty} `).map(({ text }) => text)).toEqual([`${sixty} `]);
    expect(new Set(texts(`– ${sixty} more `).map(({ text }) => text))).toEqual(new Set([`– ${sixty}`, "more"]));
  });

  it("have the phrases that begin in them, and leave what begins later to the next passage", () => {
    const passages = passagesOf(said(500, 7));
    for (let at = 0; at < 480; at++) {
      const phrase = Array.from({ length: 20 }, (_, i) => `w${at + i}`);
      expect(
        passages.flatMap((passage) => findIn(passage, [asWritten(phrase)])?.atMs ?? []),
        `w${at}`,
      ).toEqual([Math.floor(at / 7) * 1000]);
    }
  });

  /** What a search finds in the first passage: its position, and the shown lines with their matches in brackets. */
  function shownOf(texts: readonly string[], ...phrases: string[]) {
    const lines = texts.map((text, atMs) => ({ atMs, text }));
    const found = findIn(
      passagesOf(lines)[0]!,
      phrases.map((phrase) => asWritten(words(phrase))),
    );
    return (
      found && [
        found.atMs,
        ...found.lines.map(({ text, matches }) =>
          matches.reduceRight(
            (marked, { start, end }) => `${marked.slice(0, start)}[${marked.slice(start, end)}]${marked.slice(end)}`,
            text,
          ),
        ),
      ]
    );
  }

  const long = `door ${"word ".repeat(58)}lamp`;

  it.each<[what: string, texts: string[], phrases: string[], shown: (string | number)[] | undefined]>([
    ["one line around a match", ["a", "b", "door", "c", "d"], ["door"], [2, "b", "[door]", "c"]],
    ["all lines between two matches", ["door", "a", "b", "door", "c", "d"], ["door"], [0, "[door]", "a", "b", "[door]", "c"]],
    ["two matches in a line", ["a door b door"], ["door"], [0, "a [door] b [door]"]],
    ["matches that touch as one", ["鍵が"], ["鍵", "が"], [0, "[鍵が]"]],
    ["nothing where a phrase is missing", ["the door"], ["door", "key"], undefined],
    ["nothing that stands only behind its own lines", [long, "key"], ["key"], undefined],
    [
      "no more lines for what stands behind as well",
      [long, "lamp a", "b"],
      ["lamp"],
      [0, long.replace("lamp", "[lamp]"), "[lamp] a"],
    ],
    [
      "the first place behind for what stands only there",
      [long, "a", "key", "b", "key", "c"],
      ["lamp", "key"],
      [0, long.replace("lamp", "[lamp]"), "a", "[key]", "b"],
    ],
  ])("show %s", (_, texts, phrases, shown) => expect(shownOf(texts, ...phrases)).toEqual(shown));

  it("show the lines with matches and one around them, with matches joined where they overlap", () => {
    const lines = ["zero", "one the", "door the door", "three", "four", "five"].map((text, i) => ({ atMs: i, text }));
    const found = findIn(passagesOf(lines)[0]!, [asWritten(["the", "door"]), asWritten(["door", "the"])]);
    expect(found).toEqual({
      atMs: 1,
      lines: [
        { atMs: 0, text: "zero", matches: [] },
        { atMs: 1, text: "one the", matches: [{ start: 4, end: 7 }] },
        { atMs: 2, text: "door the door", matches: [{ start: 0, end: 13 }] },
        { atMs: 3, text: "three", matches: [] },
      ],
    });
  });
});
