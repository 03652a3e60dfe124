import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { builtInFont } from "../../lib/built-in-fonts.ts";

/** What is written into the pictures of a reel. People wrote it, so ffmpeg reads it from files and never as a part of its arguments. */

export interface Shown {
  title: string;
  facts: string;
  /** How long the card is shown. */
  cardMs: number;
  /** What is said in the part, with positions in it (ms). */
  said: readonly { startMs: number; endMs: number; text: string }[];
}

/** A line of text on a picture: the size of its letters and its distance from the top (px), and when it is shown. */
interface Line {
  text: string;
  size: number;
  y: number;
  between?: { fromMs: number; toMs: number };
}

export const picture = { width: 1280, height: 720, rate: 30, soundHz: 48_000 };

const letters = { title: 40, facts: 28, said: 30 };
/** How many narrow characters of each size fit in a line. */
const across = { title: 44, facts: 66, said: 58 };
const mostLines = { title: 5, facts: 2, said: 3 };
/** So many captions have one part, at most: each is a filter of its own. */
const mostCaptions = 200;

const isWide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const widthOf = (text: string) => [...text].reduce((sum, character) => sum + (isWide.test(character) ? 2 : 1), 0);

/** A word that is longer than a line, in pieces that fit. */
function pieces(word: string, width: number): string[] {
  const found = [""];
  for (const character of word) {
    if (widthOf(found.at(-1)! + character) > width) found.push("");
    found[found.length - 1] += character;
  }
  return found;
}

/** Breaks a text into lines of that width, at most so many. */
export function wrapped(text: string, width: number, most: number): string[] {
  const words = text
    .replace(/\p{C}/gu, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .flatMap((word) => pieces(word, width));
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  if (lines.length <= most) return lines;
  const last = [...lines[most - 1]!].slice(0, width - 1).join("");
  return [...lines.slice(0, most - 1), `${last}…`];
}

const height = (size: number) => Math.round(size * 1.4);

/** The lines of a card: the title in the middle, and below it whose video it is. */
function cardLines({ title, facts }: Shown): Line[] {
  const titles = wrapped(title, across.title, mostLines.title);
  const below = wrapped(facts, across.facts, mostLines.facts);
  const gap = titles.length > 0 ? height(letters.facts) : 0;
  const all = titles.length * height(letters.title) + gap + below.length * height(letters.facts);
  const top = Math.round((picture.height - all) / 2);
  const factsTop = top + titles.length * height(letters.title) + gap;
  return [
    ...titles.map((text, at) => ({ text, size: letters.title, y: top + at * height(letters.title) })),
    ...below.map((text, at) => ({ text, size: letters.facts, y: factsTop + at * height(letters.facts) })),
  ];
}

const captionLines = ({ said }: Shown): Line[] =>
  said.slice(0, mostCaptions).flatMap(({ startMs, endMs, text }) => {
    const lines = wrapped(text, across.said, mostLines.said);
    const top = picture.height - 30 - lines.length * height(letters.said);
    const between = { fromMs: startMs, toMs: endMs };
    return lines.map((line, at) => ({ text: line, size: letters.said, y: top + at * height(letters.said), between }));
  });

/** Scripts of which the usual font has no letters. */
const otherScripts = /[\u0900-\u109f\u1100-\u1dff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffef]|[\u{10000}-\u{10ffff}]/u;

/** Writes each line into a file of the folder. Returns the filters that draw them. */
async function drawn(folder: string, name: string, lines: readonly Line[]): Promise<string[]> {
  const filters: string[] = [];
  for (const [at, { text, size, y, between }] of lines.entries()) {
    const font = otherScripts.test(text) ? "every" : "regular";
    await copyFile(builtInFont(font), join(folder, `${font}.woff`));
    await writeFile(join(folder, `${name}-${at}.txt`), text);
    const box = between ? ":box=1:boxcolor=black@0.65:boxborderw=8" : "";
    const when = between ? `:enable='between(t,${between.fromMs / 1000},${between.toMs / 1000})'` : "";
    filters.push(
      `drawtext=fontfile=${font}.woff:textfile=${name}-${at}.txt:expansion=none:fontsize=${size}:fontcolor=white:x=(w-text_w)/2:y=${y}${box}${when}`,
    );
  }
  return filters;
}

/** The filters that draw the card of a part, and what is said in it. */
export async function drawings(folder: string, index: number, shown: Shown): Promise<{ card: string[]; said: string[] }> {
  return {
    card: await drawn(folder, `card-${index}`, cardLines(shown)),
    said: await drawn(folder, `said-${index}`, captionLines(shown)),
  };
}
