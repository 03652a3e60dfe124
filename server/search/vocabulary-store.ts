import type { Query } from "../database/port.ts";
import type { Tables } from "../database/schema/index.ts";
import {
  beginning,
  formsAmong,
  half,
  type Known,
  mayBeMistaken,
  mistakenAmong,
  mostForms,
  shortestBeginning,
} from "./form-rules.ts";
import type { Spelled } from "./passage-rules.ts";
import { asWritten, type Forms, type Sought } from "./rules.ts";
import { stemsOf } from "./stems.ts";

const bytes = (text: string) => Buffer.from(text);
const reversed = (word: string) => [...word].reverse().join("");

type Row = Tables["search_vocabulary"];

/** How many rows one statement writes. */
const chunk = 20;

/** Counts the words of passages that are indexed, or with `by` -1 are not any longer. A word goes with the last of its texts. */
export function count(tx: Query, ownerId: string, words: readonly Spelled[], by: 1 | -1): void {
  const counted = new Map<string, Row>();
  for (const { word, spelling } of words) {
    const key = `${word} ${spelling}`;
    const row = counted.get(key);
    if (row) row.uses += by;
    else counted.set(key, rowOf(ownerId, word, spelling, by));
  }
  // In one order, so that two writes do not wait for each other.
  const rows = [...counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  for (let from = 0; from < rows.length; from += chunk) add(tx, ownerId, rows.slice(from, from + chunk), by);
}

const rowOf = (owner_id: string, word: string, spelling: string, uses: number): Row => ({
  owner_id,
  word: bytes(word),
  spelling,
  backward: bytes(reversed(word)),
  stems: stemsOf(spelling),
  uses,
});

function add(tx: Query, ownerId: string, rows: readonly Row[], by: 1 | -1): void {
  tx.send(
    `INSERT INTO search_vocabulary (owner_id, word, spelling, backward, stems, uses) VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?)").join(", ")}
      ON CONFLICT (owner_id, word, spelling) DO UPDATE SET uses = search_vocabulary.uses + excluded.uses`,
    ...rows.flatMap(({ owner_id, word, spelling, backward, stems, uses }) => [owner_id, word, spelling, backward, stems, uses]),
  );
  if (by === 1) return;
  tx.send(
    `DELETE FROM search_vocabulary WHERE owner_id = ? AND word IN (${rows.map(() => "?").join(", ")}) AND uses <= 0`,
    ownerId,
    ...rows.map(({ word }) => word),
  );
}

export const removeOwner = (tx: Query, ownerId: string) => tx.send("DELETE FROM search_vocabulary WHERE owner_id = ?", ownerId);

/** No word has more bytes: see `compared`. */
const longestBytes = 256;

/** Sorts behind every word that begins alike: no UTF-8 has this byte. */
const behind = Buffer.from([0xff]);

/** The words whose column begins so, with between `shortest` and `longest` bytes. */
async function beginningWith(
  q: Query,
  ownerId: string,
  column: "word" | "backward",
  start: string,
  [shortest, longest]: readonly [number, number] = [0, longestBytes],
): Promise<Known[]> {
  const from = bytes(start);
  const rows = await q.all<Pick<Row, "word" | "stems" | "uses">>(
    `SELECT word, stems, uses FROM search_vocabulary WHERE owner_id = ? AND ${column} >= ? AND ${column} < ? AND LENGTH(word) BETWEEN ? AND ?`,
    ownerId,
    from,
    Buffer.concat([from, behind]),
    shortest,
    longest,
  );
  return rows.map(({ word, ...rest }) => ({ ...rest, word: Buffer.from(word).toString() }));
}

/** A letter that is missing, too much or another changes the length by so many bytes at most. */
const letterBytes = 4;

async function mistaken(q: Query, ownerId: string, word: string): Promise<string[]> {
  const length = bytes(word).length;
  const about = [length - letterBytes, length + letterBytes] as const;
  const start = (text: string) => [...text].slice(0, half(word)).join("");
  const alike = await beginningWith(q, ownerId, "word", start(word), about);
  const ending = await beginningWith(q, ownerId, "backward", start(reversed(word)), about);
  // A word that is found both ways counts once.
  return mistakenAmong(word, [...alike, ...ending.filter((one) => !one.word.startsWith(start(word)))]);
}

/** The words of an owner's texts that a word of a search stands for. A letter may be wrong in one that stands for none of them. */
async function formsOf(q: Query, ownerId: string, word: string, spelling: string): Promise<Forms> {
  if ([...word].length < shortestBeginning) return [word];
  const known = await beginningWith(q, ownerId, "word", beginning(word));
  const forms = formsAmong(word, stemsOf(spelling), known);
  const isKnown = forms.length > 1 || known.some((one) => one.word === word);
  return isKnown || !mayBeMistaken(word) ? forms : mistaken(q, ownerId, word);
}

/** What a search looks for, with all forms of its words that the owner's texts have. Words in quotation marks are looked for as they are. */
export async function expand(q: Query, ownerId: string, sought: readonly Sought[]): Promise<Forms[][]> {
  const hasForms = ({ phrase, isQuoted }: Sought) => !isQuoted && phrase.length === 1;
  const most = mostForms(sought.filter(hasForms).length);
  const expanded: Forms[][] = [];
  for (const one of sought) {
    const { phrase, spelling } = one;
    expanded.push(hasForms(one) ? [(await formsOf(q, ownerId, phrase[0]!, spelling)).slice(0, most)] : asWritten(phrase));
  }
  return expanded;
}
