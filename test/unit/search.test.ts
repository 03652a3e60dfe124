import { describe, expect, it } from "vitest";
import { findIn, type Line, passagesOf } from "../../server/search/passage-rules.ts";
import { phrasesOf, wordsOf } from "../../server/search/rules.ts";

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

  it("have the phrases that begin in them, and leave what begins later to the next passage", () => {
    const passages = passagesOf(said(500, 7));
    for (let at = 0; at < 480; at++) {
      const phrase = Array.from({ length: 20 }, (_, i) => `w${at + i}`);
      expect(
        passages.flatMap((passage) => findIn(passage, [phrase])?.atMs ?? []),
        `w${at}`,
      ).toEqual([Math.floor(at / 7) * 1000]);
    }
  });

  it("show the lines with matches and one around them, with matches joined where they overlap", () => {
    const lines = ["zero", "one the", "door the door", "three", "four", "five"].map((text, i) => ({ atMs: i, text }));
    const found = findIn(passagesOf(lines)[0]!, [
      ["the", "door"],
      ["door", "the"],
    ]);
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
