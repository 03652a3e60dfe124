import { Refused } from "./refused.ts";

const excel = "Save it as UTF-8. Excel calls this format CSV UTF-8.";

/**
 * Decodes UTF-8 or UTF-16 and removes the byte order mark. Throws for any other encoding instead of going on with garbled text. UTF-16
 * without a mark is one of them: it passes for UTF-8 with a zero behind each letter.
 */
export function decode(bytes: Uint8Array, label: string, hint = excel): string {
  const [first, second] = bytes;
  const wide = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  const text = decoded(bytes, wide ?? "utf-8");
  if (text === undefined || text.includes("\0")) throw new Refused(`${label} is not UTF-8 text.`, hint);
  return text;
}

/** A text that was read as UTF-8, without the byte order mark that editors on Windows put before it. */
export const withoutMark = (text: string) => text.replace(/^\ufeff/, "");

/** The text of bytes in UTF-8 or another encoding; undefined if they are not in it. */
export function decoded(bytes: Uint8Array, encoding = "utf-8"): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
