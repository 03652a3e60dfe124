import { nearest } from "../text/nearest.ts";

/** Pure functions that find what a person means by a name, an id or the end of one. */

export interface Named {
  id: string;
  names: readonly string[];
}

/** A name as it is written in an address: `Lantern Deep` is `lantern-deep`. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** The items that a word means: by id or its end, else by a name as it is written, else by a name or slug in any case. */
export function meant<T extends Named>(word: string, items: readonly T[]): T[] {
  const lower = word.toLowerCase();
  const tests: ((item: T) => boolean)[] = [
    ({ id }) => id === word || (/^[0-9a-f]{8}$/.test(lower) && id.toLowerCase().endsWith(lower)),
    ({ names }) => names.includes(word),
    ({ names }) => names.some((name) => name.toLowerCase() === lower || slugOf(name) === lower),
  ];
  for (const test of tests) {
    const found = items.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}

/** The name that a word is nearly, or the only one that has a word that begins so: `lantern` is `Lantern Deep`. */
function similar(word: string, names: readonly string[]): string | undefined {
  const having = new Map(
    names.filter((name) => `-${slugOf(name)}`.includes(`-${slugOf(word)}`)).map((name) => [slugOf(name), name]),
  );
  const [only] = having.values();
  return nearest(word, names) ?? (having.size === 1 && slugOf(word) !== "" ? only : undefined);
}

/** Why a word means no item of a list: none or several are called so. `hint` says what to write instead. */
export interface NoSuch {
  message: string;
  hint: string | undefined;
  isAmbiguous: boolean;
}

/** A noun as the items of a list are called. */
export const many = (noun: string) => (noun.endsWith("y") && !noun.endsWith("ey") ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** The id of the item that a word means, or why it means none. `noun`: what the items are, for messages. */
export function idNamedIn(word: string, items: readonly Named[], noun: string): string | NoSuch {
  const found = meant(word, items);
  const [item] = found;
  if (item !== undefined && found.length === 1) return item.id;
  const called = JSON.stringify(word);
  if (item !== undefined) {
    const hint = `Use an id: ${found.map(({ id }) => id).join(", ")}.`;
    return { message: `${found.length} ${many(noun)} are called ${called}.`, hint, isAmbiguous: true };
  }
  const near = similar(
    word,
    items.flatMap(({ names }) => names),
  );
  const hint = near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
  return { message: `No ${noun} is called ${called}.`, hint, isAmbiguous: false };
}
