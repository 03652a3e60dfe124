import { parseField } from "../../../cli/flags.ts";
import { type Field, operations } from "../../../contract/static.ts";
import { nearest } from "../../../contract/text/nearest.ts";
import { CliError, exitCodes, usage } from "../../../errors.ts";
import { type FileRecord, isUnnamed, type RecordFormat } from "../../../io/files/records.ts";
import { contentKey } from "../../shared/content-key.ts";
import type { CheckedOrder, Verdict } from "../../shared/order-body.ts";

/** Pure functions that turn the records of a file into validated orders with an idempotency key each. */

export interface Row {
  line: number;
  ref: string | undefined;
  game: string;
  order: CheckedOrder;
  /** Idempotency key of the order. */
  key: string;
}

export interface Fault {
  line: number;
  field: string;
  message: string;
}

const fields = new Map(operations.createPlaytest.body.map((field) => [field.name, field]));
export const columnNames = ["game", "ref", ...fields.keys()];

const yes = /^(true|yes|1)$/i;
const no = /^(false|no|0)$/i;

/** Parses a cell. Throws a usage error. */
function cellValue(field: Field, text: string): unknown {
  if (field.type === "boolean") {
    if (!yes.test(text) && !no.test(text))
      throw new CliError("USAGE", exitCodes.usage, `${JSON.stringify(text)} is not true or false.`);
    return yes.test(text);
  }
  if (field.array) return text.split(/[\s;|]+/).filter((part) => part !== "");
  return parseField(field, text, field.name);
}

function csvBody(record: FileRecord, faults: Fault[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const text = record.fields[name];
    if (typeof text !== "string" || text === "") continue;
    try {
      body[name] = cellValue(field, text);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      faults.push({ line: record.line, field: name, message: error.message.replace(`${name}: `, "") });
    }
  }
  return body;
}

function typedBody({ fields: given }: FileRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => name !== "game" && name !== "ref" && value !== null));
}

/**
 * Derives the idempotency key of each row from its content, its number among equal rows, and the batch. The file name, the order of
 * the rows and `ref` do not matter.
 */
export function keyed(batch: string): (game: string, order: CheckedOrder) => string {
  const counts = new Map<string, number>();
  return (game, order) => {
    const content = contentKey({ game, order, batch });
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    return `bulk-${content}-${count}`;
  };
}

/** A column name as people write it in a spreadsheet: `Duration Minutes`, `duration_minutes` and `durationMinutes` are one. */
const plainName = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, "");
const known = new Map(columnNames.map((name) => [plainName(name), name]));

/** The records with the names of their fields as the contract spells them. Two spellings of one field are a usage error. */
function spelled(records: readonly FileRecord[]): FileRecord[] {
  return records.map(({ line, fields: given }) => {
    const named: FileRecord["fields"] = {};
    for (const [name, value] of Object.entries(given)) {
      const column = known.get(plainName(name)) ?? name;
      if (Object.hasOwn(named, column)) throw usage(`Line ${line}: the field ${column} is given twice.`);
      named[column] = value;
    }
    return { line, fields: named };
  });
}

/** A column or field that is not part of an order. */
export interface Unknown {
  name: string;
  line: number;
  /** The known name that it was probably meant as. */
  like: string | undefined;
}

/** The known name that an unknown one is a beginning or a misspelling of. */
function likeName(name: string): string | undefined {
  const plain = plainName(name);
  const names = [...known.keys()];
  const near = names.find((one) => plain.length > 3 && one.startsWith(plain)) ?? nearest(plain, names);
  return near === undefined ? undefined : known.get(near);
}

/** The fields that no order has, each with its first line. */
function unknownFields(records: readonly FileRecord[]): Unknown[] {
  const first = new Map<string, number>();
  for (const { line, fields: given } of records)
    for (const name of Object.keys(given)) if (!columnNames.includes(name) && !first.has(name)) first.set(name, line);
  return [...first].map(([name, line]) => ({ name, line, like: likeName(name) }));
}

/** The words by which the records name their games and playtesters. */
export function wordsIn(records: readonly FileRecord[], field: "game" | "targetedPlaytesterId"): Set<string> {
  return new Set(spelled(records).flatMap(({ fields: given }) => text(given[field]) ?? []));
}

interface Options {
  format: RecordFormat;
  /** Game for rows without one. */
  game: string | undefined;
  batch: string;
  check(body: unknown): Verdict;
  /** The id of a game, or what is wrong with the word that names it. */
  gameId(word: string): string | { message: string };
  /** The same for a playtester. */
  testerId(word: string): string | { message: string };
}

const text = (value: unknown) => (value === undefined || value === null || value === "" ? undefined : String(value));

/**
 * Validates all rows and collects all errors, and the fields that no order has. A field that was probably misspelled is an error, because
 * ignoring it would order something else.
 */
export function readRows(given: readonly FileRecord[], options: Options): { rows: Row[]; faults: Fault[]; unknown: Unknown[] } {
  const keyOf = keyed(options.batch);
  const rows: Row[] = [];
  const faults: Fault[] = [];
  const records = spelled(given);
  const unknown = unknownFields(records);
  for (const { name, line, like } of unknown) {
    if (like !== undefined) faults.push({ line, field: name, message: `unknown field. Did you mean ${like}?` });
    if (isUnnamed(name)) faults.push({ line, field: name, message: "unknown field: the column has no name" });
  }
  for (const record of records) {
    const { line } = record;
    const before = faults.length;
    const body = options.format === "csv" ? csvBody(record, faults) : typedBody(record);
    for (const { name } of unknown) delete body[name];
    const tester = text(body.targetedPlaytesterId);
    const testerId = tester === undefined ? undefined : options.testerId(tester);
    if (typeof testerId === "object") faults.push({ line, field: "targetedPlaytesterId", message: testerId.message });
    else if (testerId !== undefined) body.targetedPlaytesterId = testerId;
    const verdict = options.check(body);
    if ("faults" in verdict && faults.length === before) faults.push(...verdict.faults.map((fault) => ({ line, ...fault })));
    const named = text(record.fields.game) ?? options.game;
    if (named === undefined)
      faults.push({ line, field: "game", message: "is required, because no game is set for this directory" });
    if (named === undefined || "faults" in verdict) continue;
    const game = options.gameId(named);
    if (typeof game === "object") faults.push({ line, field: "game", message: game.message });
    else rows.push({ line, ref: text(record.fields.ref), game, order: verdict.order, key: keyOf(game, verdict.order) });
  }
  return { rows, faults, unknown };
}
