/**
 * A help topic as data, for the terminal, the man pages and the pages at /docs: what all of them can show. Headings are of two levels,
 * lists are flat.
 */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong"; parts: Inline[] }
  | { kind: "em"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

export type Block = {
  /** It is so only on servers that take payments. The pages at /docs of other servers leave it out. */
  aboutPayments?: boolean;
} & (
  | { kind: "heading"; parts: Inline[] }
  | { kind: "paragraph"; parts: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "code"; text: string }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
);

export interface Document {
  title: string;
  blocks: Block[];
}

/** The text without its marks. */
export const plain = (parts: readonly Inline[]): string =>
  parts.map((part) => ("parts" in part ? plain(part.parts) : part.text)).join("");
