import { Problem } from "../lib/problem.ts";

const maxDepth = 32;
const decoder = new TextDecoder("utf-8", { fatal: true });
const malformed = (why: string) => new Problem("BAD_REQUEST", `The request body is not valid JSON: ${why}. Nothing was changed.`);

/**
 * JSON text as a value. Refuses what JSON.parse lets through and an order must not: invalid UTF-8, nesting beyond 32 and
 * an object that names a field twice (the second would silently win).
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

/** Counts brackets before anything is parsed: JSON.parse takes a second for a megabyte of `[`, and blocks every other request. */
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

/** Walks text that JSON.parse accepted, so it can trust the grammar and look only at strings and brackets. */
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

/** The same text for the same value, whatever the order of names and the white space were. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(",")}}`;
}
