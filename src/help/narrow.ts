import { fold } from "../io/text.ts";

/** Columns that help texts are written for. */
const terminalColumns = 80;

/** A help text for a terminal that is narrower than the text: paragraphs are wrapped again, and meanings stand below their terms. */
export const narrowHelp = (text: string, width: number): string =>
  width >= terminalColumns
    ? text
    : unfolded(text)
        .flatMap((line) => narrowed(line, width))
        .join("\n");

/** A term and its meaning on one line, with two spaces or more between them. */
const entry = /^( *)(\S.*?) {2,}(\S.*)$/;
/** A line that goes on with the meaning of the term above it. Flags and examples are indented less. */
const isMeaning = (line: string) => /^ {8}/.test(line);
const isParagraph = (line = "") => /^\S/.test(line) && !entry.test(line) && !/^(Usage|Aliases|Without a command): /.test(line);

/** The lines of a text with each paragraph and each entry on one line. */
function unfolded(text: string): string[] {
  const all: string[] = [];
  for (const line of text.split("\n")) {
    const last = all.at(-1);
    if (isMeaning(line)) all[all.length - 1] = `${last}${entry.test(last ?? "") ? " " : "  "}${line.trim()}`;
    else if (isParagraph(last) && isParagraph(line)) all[all.length - 1] = `${last} ${line}`;
    else all.push(line);
  }
  return all;
}

function narrowed(line: string, width: number): string[] {
  const [, indent = "", term = "", meaning = ""] = entry.exec(line) ?? [];
  if (term !== "") {
    const left = indent === "" ? "" : "  ";
    return [
      ...fold(term, width - left.length).map((part) => left + part),
      ...fold(meaning, width - left.length - 4).map((part) => `${left}    ${part}`),
    ];
  }
  // Examples and endpoints stay as they are, so that they can be copied from the terminal.
  return line === "" || line.startsWith(" ") ? [line] : fold(line, width);
}
