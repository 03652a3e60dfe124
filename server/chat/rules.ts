import { shortened } from "../../src/contract/text/one-line.ts";

const previewCharacters = 100;

/** Control characters, line breaks and marks that change the direction of text. In a terminal they could overwrite other output. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The start of a message as one line that is safe to print anywhere, at most 100 characters. */
export function previewOf(content: string): string {
  return shortened(content.replace(unsafe, " ").replace(/ {2,}/g, " ").trim(), previewCharacters);
}
