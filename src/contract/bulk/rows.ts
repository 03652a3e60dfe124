import type { FileRecord, RecordFormat } from "../files/records.ts";
import { fieldValue, splits } from "../input/field-value.ts";
import { Refused } from "../input/refused.ts";
import type { CheckedOrder, Verdict } from "../order-check.ts";
import type { Field } from "../static.ts";
import type { TimeReader } from "../time/local.ts";
import { type Fault, fields } from "./columns.ts";
import { keyed, keyOfRef } from "./keys.ts";

/** Pure functions that turn the records of a file into validated orders with an idempotency key each. */

export interface Row {
  line: number;
  /** As written in the file. */
  ref: string | undefined;
  /** The ref of the order: that of the row, in a batch with the name of the batch before it. */
  orderRef: string | undefined;
  game: string;
  order: CheckedOrder;
  /** Identifies the row, and is the idempotency key of its order. By the ref if it has one, otherwise by the content. */
  key: string;
  /** Identifies the row by its content alone, as it was before it had a ref. */
  keyByContent: string;
}

const yes = /^(true|yes|1)$/i;
const no = /^(false|no|0)$/i;

/** A whole number as spreadsheets write it: `1.0` and `30,00`. With three zeros it could be thousands. */
const withoutZeros = (text: string) => text.replace(/^(\d+)[.,]0{1,2}$/, "$1");

/** Parses a cell. Throws a `Refused`. */
function cellValue(field: Field, text: string): unknown {
  if (field.type === "boolean") {
    if (!yes.test(text) && !no.test(text)) throw new Refused(`${JSON.stringify(text)} is not true or false.`);
    return yes.test(text);
  }
  // A time as people write it is read with the others of the file.
  if (field.name === "scheduledAt") return text;
  // A game key may contain a comma.
  if (field.array) return text.split(splits(field) ? /[\s,;|]+/ : /[\s;|]+/).filter((part) => part !== "");
  const isNumber = field.type === "integer" || field.type === "number" || field.enum?.every((value) => typeof value === "number");
  return fieldValue(field, isNumber ? withoutZeros(text) : text);
}

function csvBody(record: FileRecord, faults: Fault[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const text = record.fields[name];
    if (typeof text !== "string" || text === "") continue;
    try {
      body[name] = cellValue(field, text);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      faults.push({ line: record.line, field: name, message: error.message });
    }
  }
  return body;
}

/** Text without what only differs by the program that wrote the file, so that an order is the same in each format. */
const plainText = (value: unknown) => (typeof value === "string" ? value.replace(/\r\n?/g, "\n").trim() : value);

function typedBody({ fields: given }: FileRecord): Record<string, unknown> {
  const entries = Object.entries(given).map(([name, value]): [string, unknown] => [name, plainText(value)]);
  return Object.fromEntries(entries.filter(([name, value]) => name !== "game" && value !== null && value !== ""));
}

/** The words by which the records name their games, playtesters and times. */
export function wordsIn(records: readonly FileRecord[], field: "game" | "targetedPlaytesterId" | "scheduledAt"): Set<string> {
  return new Set(records.flatMap(({ fields: given }) => text(given[field]) ?? []));
}

interface Options {
  format: RecordFormat;
  /** Game for rows without one. */
  game: string | undefined;
  /** Why there is none, for messages. */
  noGame: string;
  batch: string;
  check(body: unknown): Verdict;
  /** The id of a game, or what is wrong with the word that names it. */
  gameId(word: string): string | { message: string };
  /** The same for a playtester. */
  testerId(word: string): string | { message: string };
  /** The instant of a time, or what is wrong with it. */
  time: TimeReader;
}

function text(value: unknown): string | undefined {
  const plain = value === undefined || value === null ? "" : String(value).trim();
  return plain === "" ? undefined : plain;
}

/** Typed formats change what a ref without quotes looks like: 1.50 is read as 1.5, and long numbers lose digits. */
const isExact = (ref: unknown) => ref === undefined || ref === null || typeof ref === "string" || Number.isSafeInteger(ref);

/** Spreadsheets leave rows below the table that hold a word or a sum: they are not orders. */
const isEmpty = ({ fields: given }: FileRecord) =>
  Object.entries(given).every(([name, value]) => name === "ref" || text(value) === undefined);

/** The row of a record. What is wrong with it is added to `faults`; it is then undefined. */
function readRow(record: FileRecord, faults: Fault[], options: Options): Omit<Row, "key" | "keyByContent"> | undefined {
  const { line } = record;
  const before = faults.length;
  if (isEmpty(record)) {
    faults.push({ line, field: "row", message: "has no values, except perhaps a ref" });
    return undefined;
  }
  const body = options.format === "csv" ? csvBody(record, faults) : typedBody(record);
  const ref = text(record.fields.ref)?.normalize("NFC");
  if (!isExact(record.fields.ref)) faults.push({ line, field: "ref", message: "must be text: write it in quotes" });
  if (ref !== undefined) body.ref = options.batch === "" ? ref : `${options.batch}/${ref}`;
  const tester = text(body.targetedPlaytesterId);
  const testerId = tester === undefined ? undefined : options.testerId(tester);
  if (typeof testerId === "object") faults.push({ line, field: "targetedPlaytesterId", message: testerId.message });
  else if (testerId !== undefined) body.targetedPlaytesterId = testerId;
  const at = text(body.scheduledAt);
  const time = at === undefined ? undefined : options.time(at);
  if (time !== undefined && "fault" in time)
    faults.push({ line, field: "scheduledAt", message: `${JSON.stringify(at)} ${time.fault}` });
  else if (time !== undefined) body.scheduledAt = time.instant;
  const verdict = options.check(body);
  if ("faults" in verdict && faults.length === before) faults.push(...verdict.faults.map((fault) => ({ line, ...fault })));
  const named = text(record.fields.game) ?? options.game;
  if (named === undefined) faults.push({ line, field: "game", message: `is required, because ${options.noGame}` });
  if (named === undefined || "faults" in verdict) return undefined;
  const game = options.gameId(named);
  if (typeof game === "object") {
    faults.push({ line, field: "game", message: game.message });
    return undefined;
  }
  const { ref: orderRef, ...order } = verdict.order;
  return { line, ref, orderRef, game, order };
}

/** Validates all rows and collects all errors. */
export function readRows(records: readonly FileRecord[], options: Options): { rows: Row[]; faults: Fault[] } {
  const keyOf = keyed(options.batch);
  const rows: Row[] = [];
  const faults: Fault[] = [];
  const lineOf = new Map<string, number>();
  for (const record of records) {
    const row = readRow(record, faults, options);
    if (row === undefined) continue;
    const { orderRef, line, ref } = row;
    const earlier = orderRef === undefined ? undefined : lineOf.get(orderRef);
    if (earlier !== undefined)
      faults.push({ line, field: "ref", message: `${JSON.stringify(ref)} is also the ref of line ${earlier}` });
    if (orderRef !== undefined) lineOf.set(orderRef, line);
    const keyByContent = keyOf(row.game, row.order);
    rows.push({ ...row, keyByContent, key: orderRef === undefined ? keyByContent : keyOfRef(orderRef) });
  }
  return { rows, faults };
}
