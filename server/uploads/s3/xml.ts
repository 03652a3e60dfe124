/** What S3 answers is flat XML: the texts of elements by name are all that is needed. */

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const decoded = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, number, name) => {
    if (name !== undefined) return entities[name] ?? all;
    return String.fromCodePoint(hex === undefined ? Number(number) : Number.parseInt(hex, 16));
  });

const element = (name: string, flags: string) => new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, flags);

/** The contents of each element of this name. */
export const elementsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(element(name, "g"))].map(([, inner]) => inner!);

/** The text of the first element of this name. */
export function textOf(xml: string, name: string): string | undefined {
  const inner = element(name, "").exec(xml)?.[1];
  return inner === undefined ? undefined : decoded(inner);
}
