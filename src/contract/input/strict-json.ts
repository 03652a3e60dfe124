/** Why a text is not taken as JSON, as the end of a sentence. `isSyntax`: it is no JSON at all. */
export class JsonFault extends Error {
  readonly isSyntax: boolean;
  constructor(why: string, isSyntax = false) {
    super(why);
    this.isSyntax = isSyntax;
  }
}

const maxDepth = 32;

/**
 * Parses JSON more strictly than JSON.parse. Throws a `JsonFault` for nesting deeper than 32, and for an object with the same field twice, of
 * which JSON.parse would silently use the second.
 */
export function parseStrictJson(text: string): unknown {
  checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JsonFault((error as Error).message, true);
  }
  checkShape(text);
  return value;
}

/** Checks the depth before parsing, because JSON.parse takes a second for a megabyte of `[` and blocks everything else. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      if (++depth > maxDepth) throw new JsonFault(`it is nested more than ${maxDepth} deep`);
    } else if (char === "}" || char === "]") depth--;
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
  if (seen.has(name)) throw new JsonFault(`the field ${JSON.stringify(name)} occurs twice`);
  seen.add(name);
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
