// C0 and C1 controls, DEL, line separators, and the characters that reorder text.
export const dangerous = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/** A character as an escape, such as `\u001b`. */
export const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Text on one line, with control and bidirectional characters escaped so that they cannot control a terminal. */
export const oneLine = (text: string) => text.replace(dangerous, (c) => short[c] ?? unicode(c));

/** The first `max` characters of a text, counted as the API does: half an emoji, which `slice` may leave, is refused. */
export const firstCharacters = (text: string, max: number): string =>
  // No character is longer than two of the units that `slice` counts.
  [...text.slice(0, 2 * max)].slice(0, max).join("");

/** The text if it has at most `most` characters, otherwise its start with an ellipsis at the end. Half an emoji is never left. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

/** A text that another sentence follows, with a full stop where it ends without one: what systems report often does. */
export const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Untrusted text as a Markdown code span, where markup, links and mentions have no effect. Cut after `most` characters. */
export function codeSpan(text: string | null | undefined, most = 300): string {
  const shown = shortened(oneLine(text ?? "").trim(), most);
  if (shown === "") return "";
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}
