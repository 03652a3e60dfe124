import { ApiError } from "../lib/api-error.ts";

const maxDepth = 32;
const decoder = new TextDecoder("utf-8", { fatal: true });
const malformed = (why: string) =>
  new ApiError("BAD_REQUEST", `The request body is not valid JSON: ${why}. Nothing was changed.`);

/**
 * Parses JSON more strictly than JSON.parse. 400 for invalid UTF-8, for nesting deeper than 32, and for an object with the same field
 * twice, of which JSON.parse would silently use the second.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  checkDepth(bytes);
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed((error as Error).message);
  }
  checkShape(text);
  return value;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Checks the depth before parsing, because JSON.parse takes a second for a megabyte of `[` and blocks all other requests. */
function checkDepth(bytes: Uint8Array): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) throw malformed(`it is nested more than ${maxDepth} deep`);
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed("it is not UTF-8");
  }
}

/** Refuses duplicate fields. JSON.parse accepted the text already, so only strings and brackets need to be examined. */
function checkShape(text: string): void {
  const names: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") {
      names.push(char === "{" ? new Set() : undefined);
    } else if (char === "}" || char === "]") names.pop();
    else if (char === '"') {
      const end = stringEnd(text, at);
      const seen = names.at(-1);
      if (seen && isName(text, end + 1)) addName(seen, JSON.parse(text.slice(at, end + 1)) as string);
      at = end;
    }
  }
}

function isName(text: string, from: number): boolean {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at++;
  return text[at] === ":";
}

function addName(seen: Set<string>, name: string): void {
  if (seen.has(name)) throw malformed(`the field ${JSON.stringify(name)} occurs twice`);
  seen.add(name);
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
