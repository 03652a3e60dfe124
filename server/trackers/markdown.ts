import { codeSpan, oneLine } from "../../src/contract/text/one-line.ts";
import type { Document, Run } from "./document.ts";

/** Documents in Markdown. What people wrote is a code span, in which markup, HTML, images, links, mentions and commands have no effect. */

const longestText = 2000;

const shownRun = (run: Run): string => {
  if ("said" in run) return codeSpan(run.said, longestText);
  if ("image" in run) return `![${run.words}](${run.image})`;
  return "href" in run ? `[${run.words}](${run.href})` : run.words;
};

export const markdownOf = (document: Document): string =>
  document
    .map(({ item, runs }) => `${item ? "- " : "\n"}${runs.map(shownRun).join("")}`)
    .join("\n")
    .trim();

/** Where a document begins and ends inside of a description that people may edit. */
export interface Frame {
  begin: string;
  end: string;
}

export const framed = (document: Document, { begin, end }: Frame): string => `${begin}\n\n${markdownOf(document)}\n\n${end}`;

/** The description with what is between begin and end replaced. Undefined where people removed either. */
export function reframed(description: string, document: Document, frame: Frame): string | undefined {
  const start = description.indexOf(frame.begin);
  // The last one: what people wrote may have the same words.
  const end = description.lastIndexOf(frame.end);
  if (start < 0 || end < start + frame.begin.length) return undefined;
  return description.slice(0, start) + framed(document, frame) + description.slice(end + frame.end.length);
}

/** Invisible frames of trackers whose Markdown has HTML comments. */
export const commentFrame = (marker: string): Frame => ({ begin: `<!-- ${marker} -->`, end: `<!-- end of ${marker} -->` });

const longestTitle = 250;

/** A title in which nothing refers to a person, an issue or a label: a joiner without width stands behind each sign that could. */
export function plainTitle(title: string): string {
  const characters = [...oneLine(title).replace(/[@#!~%$&^*:[\]<>`\\]/g, "$&\u2060")];
  return characters.length <= longestTitle ? characters.join("") : `${characters.slice(0, longestTitle - 1).join("")}…`;
}
