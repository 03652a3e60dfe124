/**
 * Text that others wrote. Models obey what they read, so it is made one line without signs that nobody sees, and it stands nowhere but in
 * `untrustedText`.
 */

/** Control, format and private characters, among them tags that are invisible; joiners are needed to write some languages. */
const invisible = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;

/** At most `max` UTF-16 units of a text, without half a character at its end. */
export const cutTo = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");

/** A text in one line of at most `max` UTF-16 units; a longer one ends with `…`. */
export function plainLine(text: string, max = 500): string {
  const line = text.replace(/\s+/g, " ").replace(invisible, "").trim();
  return line.length <= max ? line : `${cutTo(line, max - 1)}…`;
}

/** Texts with their numbers, one in each line: those of the items of an answer. */
export const numbered = (texts: readonly string[]): string => texts.map((text, at) => `${at + 1}. ${text}`).join("\n");

/** A playtester by a name that nobody chose. */
export const pseudonym = (id: string): string => `tester-${id.slice(-6)}`;
