import type { Document } from "yaml";
import { Refused } from "../input/refused.ts";
import { JsonFault, parseStrictJson } from "../input/strict-json.ts";

/** One record of a file and the line it starts on. CSV values are strings; the others have any JSON type. */
export interface FileRecord {
  line: number;
  fields: Record<string, unknown>;
}

export type RecordFormat = "csv" | "json" | "yaml" | "ndjson";

/** The format according to the file name, or else to the start of the text. */
export function recordFormat(path: string, text: string): RecordFormat {
  if (/\.csv$/i.test(path)) return "csv";
  if (/\.ya?ml$/i.test(path)) return "yaml";
  if (/\.(ndjson|jsonl)$/i.test(path)) return "ndjson";
  // The first column of a table may begin with #, as comments in YAML do.
  const start = text.replace(/^([ \t]*(#.*)?\r?\n)+/, "").trimStart();
  // Programs also call a file with an object on each line .json.
  if (start.startsWith("{")) return "ndjson";
  if (/\.json$/i.test(path)) return "json";
  if (start.startsWith("[")) return isJson(text) ? "json" : "yaml";
  return /^-\s/.test(start) ? "yaml" : "csv";
}

function isJson(text: string): boolean {
  try {
    parseStrictJson(text);
    return true;
  } catch (error) {
    return error instanceof JsonFault && !error.isSyntax;
  }
}

const isFields = (value: unknown): value is FileRecord["fields"] =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The delimiter depends on the locale of the spreadsheet. Excel may declare it in a first line such as `sep=;`. */
function csvDialect(text: string): { delimiter: string; from: number } {
  const named = /^sep=(.)\n/i.exec(text)?.[1];
  if (named !== undefined) return { delimiter: named, from: 2 };
  // A delimiter inside quotes belongs to a name.
  const header = text
    .trimStart()
    .split("\n", 1)[0]!
    .replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => header.split(delimiter).length;
  const delimiter = [",", ";", "\t", "|"].reduce((best, one) => (count(one) > count(best) ? one : best));
  return { delimiter, from: 1 };
}

const newlinesIn = (fields: Record<string, string>) =>
  Object.values(fields).reduce((sum, value) => sum + value.split("\n").length - 1, 0);

/** The column names. Spreadsheets also write unnamed columns, for example after a cell beside the table was used. */
function columnsOf(header: readonly string[], path: string): string[] {
  const seen = new Set<string>();
  const twice = header.find((name) => name !== "" && (seen.has(name) || !seen.add(name)));
  if (twice !== undefined) throw new Refused(`${path}: duplicate column ${JSON.stringify(twice)}.`);
  return header.map((name, index) => (name === "" ? `column ${index + 1}` : name));
}

/** Whether a column got its name from its position. */
export const isUnnamed = (name: string) => /^column \d+$/.test(name);
const withoutEmptyUnnamed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== "" || !isUnnamed(name)));

async function csvRecords(given: string, path: string): Promise<FileRecord[]> {
  const { parse } = await import("csv-parse/sync");
  const text = given.replace(/\r\n?/g, "\n");
  const { delimiter, from } = csvDialect(text);
  // Built while parsing: for ten thousand records, the parser's own metadata would take more memory than the records.
  const record = (all: Record<string, string>, { lines }: { lines: number }): FileRecord => ({
    line: lines - newlinesIn(all),
    fields: withoutEmptyUnnamed(all),
  });
  try {
    return parse(text, {
      delimiter,
      from_line: from,
      columns: (header: string[]) => columnsOf(header, path),
      skip_empty_lines: true,
      // Spreadsheets also write formatted but empty rows below the table.
      skip_records_with_empty_values: true,
      trim: true,
      on_record: record as never,
    }) as unknown as FileRecord[];
  } catch (error) {
    if (error instanceof Refused) throw error;
    const hint = "Put a cell that contains a delimiter, a quote or a line break in double quotes.";
    throw new Refused(`${path}: ${(error as Error).message}.`, hint);
  }
}

async function yamlRecords(text: string, path: string): Promise<FileRecord[]> {
  const { isSeq, LineCounter, parseDocument } = await import("yaml");
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [error] = document.errors;
  if (error) throw new Refused(`${path}: ${error.message.split("\n")[0]}`);
  if (!isSeq(document.contents)) throw new Refused(`${path} must contain a list of orders.`);
  const { items } = document.contents as { items: { range?: [number, number, number] }[] };
  const values = valuesOf(document, path);
  return items.map(({ range }, index) => recordAt(counter.linePos(range?.[0] ?? 0).line, values[index], path));
}

/** The items of a document with what their aliases stand for. Refuses those that hold themselves, or would grow into much more than the file. */
function valuesOf(document: Document, path: string): unknown[] {
  try {
    const values = document.toJS() as unknown[];
    JSON.stringify(values);
    return values;
  } catch (error) {
    throw new Refused(`${path}: ${(error as Error).message.split("\n")[0]}.`, "Write out what the aliases (`*name`) stand for.");
  }
}

function recordAt(line: number, value: unknown, path: string): FileRecord {
  if (isFields(value)) return { line, fields: value };
  throw new Refused(`${path}, line ${line}: must be an object with the fields of an order.`);
}

/** The lines on which the items of a list in valid JSON begin. */
function itemLines(text: string): number[] {
  const lines: number[] = [];
  let [line, depth] = [1, 0];
  let isNext = false;
  // Strings are one token, because they may contain the others.
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|[^\s"]|\n/g)) {
    if (token === "\n") line++;
    else if (depth === 1 && isNext && token !== "]") {
      lines.push(line);
      isNext = false;
    }
    if (token === "[" || token === "{") isNext = ++depth === 1;
    else if (token === "]" || token === "}") depth--;
    else if (token === "," && depth === 1) isNext = true;
  }
  return lines;
}

/** The lines of the items are looked for only here: a parser of JSON does not say them. */
function jsonRecords(text: string, path: string): FileRecord[] {
  let list: unknown;
  try {
    list = parseStrictJson(text);
  } catch (error) {
    throw error instanceof JsonFault ? new Refused(`${path}: not valid JSON: ${error.message}.`) : error;
  }
  if (!Array.isArray(list)) throw new Refused(`${path} must contain a list of orders.`);
  const lines = itemLines(text);
  return list.map((item, index) => recordAt(lines[index]!, item, path));
}

function ndjsonRecords(text: string, path: string): FileRecord[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [recordAt(index + 1, parseStrictJson(line), path)];
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      const why = error.isSyntax ? "" : `: ${error.message}`;
      throw new Refused(`${path}, line ${index + 1}: not valid JSON${why}.`);
    }
  });
}

/** Parses CSV, JSON, YAML or NDJSON. Throws a `Refused` that names the line. */
export async function parseRecords(
  text: string,
  path: string,
  format: RecordFormat = recordFormat(path, text),
): Promise<{ format: RecordFormat; records: FileRecord[] }> {
  if (format === "json") return { format, records: jsonRecords(text, path) };
  if (format === "ndjson") return { format, records: ndjsonRecords(text, path) };
  return { format, records: await (format === "csv" ? csvRecords(text, path) : yamlRecords(text, path)) };
}

/** A column name as people write it in a spreadsheet: `Duration (minutes)`, `duration_minutes` and `durationMinutes` are one. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Whether a column is left out: it begins with `#`, or the user named it. */
export function ignorer(names: readonly string[]): (heading: string) => boolean {
  const plain = (name: string) => plainName(name) || name.trim();
  const ignored = new Set(names.flatMap((list) => list.split(",")).map(plain));
  return (heading) => heading.startsWith("#") || ignored.has(plain(heading));
}
