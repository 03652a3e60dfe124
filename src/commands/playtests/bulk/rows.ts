import { parseField } from "../../../cli/flags.ts";
import { type Field, operations } from "../../../contract/static.ts";
import { CliError, exitCodes } from "../../../errors.ts";
import type { FileRecord, RecordFormat } from "../../../io/files/records.ts";
import { contentKey } from "../../shared/content-key.ts";
import type { CheckedOrder, Verdict } from "../../shared/order-body.ts";

/** The rows of a bulk order: pure, from records to checked orders with a key each. */

export interface Row {
  line: number;
  ref: string | undefined;
  game: string;
  order: CheckedOrder;
  /** Repeating the order with it never orders twice. */
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

/** The value of a cell; throws a usage error that says what is wrong. */
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
 * Gives each row its key: from what it orders, its count among equal rows, and the batch. Neither the file's name, the order of its
 * rows, nor `ref` matters.
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

/** Columns and fields that an order does not have; a column is wrong once, not in each row. */
function unknownFields(records: readonly FileRecord[], format: RecordFormat): Fault[] {
  const faults = records.flatMap(({ line, fields: given }) =>
    Object.keys(given)
      .filter((name) => !columnNames.includes(name))
      .map((field) => ({ line, field, message: `is not known. Known: ${columnNames.join(", ")}` })),
  );
  const first = new Map(faults.map((fault) => [fault.field, fault] as const).reverse());
  return format === "csv" ? [...first.values()].reverse() : faults;
}

interface Options {
  format: RecordFormat;
  /** For rows that name no game. */
  game: string | undefined;
  batch: string;
  check(body: unknown): Verdict;
  resolveId(id: string): string;
}

const text = (value: unknown) => (value === undefined || value === null || value === "" ? undefined : String(value));

/** Every row checked, or everything that is wrong with them. */
export function readRows(records: readonly FileRecord[], options: Options): { rows: Row[]; faults: Fault[] } {
  const keyOf = keyed(options.batch);
  const rows: Row[] = [];
  const games = new Map<string, string>();
  const faults = unknownFields(records, options.format);
  const broken = new Set(faults.map(({ field }) => field));
  for (const record of records) {
    const { line } = record;
    const before = faults.length;
    const body = options.format === "csv" ? csvBody(record, faults) : typedBody(record);
    for (const name of broken) delete body[name];
    const verdict = options.check(body);
    if ("faults" in verdict && faults.length === before) faults.push(...verdict.faults.map((fault) => ({ line, ...fault })));
    const named = text(record.fields.game) ?? options.game;
    if (named === undefined) faults.push({ line, field: "game", message: "is missing, and no game is set for this folder" });
    if (named === undefined || "faults" in verdict) continue;
    const game = games.get(named) ?? options.resolveId(named);
    games.set(named, game);
    rows.push({ line, ref: text(record.fields.ref), game, order: verdict.order, key: keyOf(game, verdict.order) });
  }
  return { rows, faults };
}
