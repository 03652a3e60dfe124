import { parseField } from "../../../cli/flags.ts";
import { type Field, operations } from "../../../contract/static.ts";
import { CliError, exitCodes } from "../../../errors.ts";
import type { FileRecord, RecordFormat } from "../../../io/files/records.ts";
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

/** Errors for unknown fields. In a CSV file, an unknown column is one error, not one for each row. */
function unknownFields(records: readonly FileRecord[], format: RecordFormat): Fault[] {
  const faults = records.flatMap(({ line, fields: given }) =>
    Object.keys(given)
      .filter((name) => !columnNames.includes(name))
      .map((field) => ({ line, field, message: `unknown field. Known fields: ${columnNames.join(", ")}` })),
  );
  const first = new Map(faults.map((fault) => [fault.field, fault] as const).reverse());
  return format === "csv" ? [...first.values()].reverse() : faults;
}

interface Options {
  format: RecordFormat;
  /** Game for rows without one. */
  game: string | undefined;
  batch: string;
  check(body: unknown): Verdict;
  resolveId(id: string): string;
}

const text = (value: unknown) => (value === undefined || value === null || value === "" ? undefined : String(value));

/** Validates all rows and collects all errors. */
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
    if (named === undefined)
      faults.push({ line, field: "game", message: "is required, because no game is set for this directory" });
    if (named === undefined || "faults" in verdict) continue;
    const game = games.get(named) ?? options.resolveId(named);
    games.set(named, game);
    rows.push({ line, ref: text(record.fields.ref), game, order: verdict.order, key: keyOf(game, verdict.order) });
  }
  return { rows, faults };
}
