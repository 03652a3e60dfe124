import { usage } from "../errors.ts";

/** One record of a table in a file, and the line it begins on. Values of CSV are texts; of YAML and NDJSON whatever was written. */
export interface FileRecord {
  line: number;
  fields: Record<string, unknown>;
}

export type RecordFormat = "csv" | "yaml" | "ndjson";

/** The format by the file's name, else by how the text begins. */
export function recordFormat(path: string, text: string): RecordFormat {
  if (/\.csv$/i.test(path)) return "csv";
  if (/\.ya?ml$/i.test(path)) return "yaml";
  if (/\.(ndjson|jsonl)$/i.test(path)) return "ndjson";
  const start = text.trimStart();
  if (start.startsWith("{")) return "ndjson";
  return start.startsWith("[") || start.startsWith("- ") || start.startsWith("#") ? "yaml" : "csv";
}

const isFields = (value: unknown): value is FileRecord["fields"] =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function csvRecords(text: string, path: string): Promise<FileRecord[]> {
  const { parse } = await import("csv-parse/sync");
  let before = 1;
  // Made as they are read: the parser's own account of ten thousand records would take more room than the records.
  const record = (fields: Record<string, string>, { lines }: { lines: number }): FileRecord => {
    const line = before + 1;
    before = lines;
    return { line, fields };
  };
  try {
    return parse(text, {
      bom: true,
      columns: true,
      skip_empty_lines: true,
      trim: true,
      on_record: record as never,
    }) as unknown as FileRecord[];
  } catch (error) {
    throw usage(`${path}: ${(error as Error).message}.`, "A cell with a comma, a quote or a line break stands in double quotes.");
  }
}

async function yamlRecords(text: string, path: string): Promise<FileRecord[]> {
  const { isSeq, LineCounter, parseDocument } = await import("yaml");
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [error] = document.errors;
  if (error) throw usage(`${path}: ${error.message.split("\n")[0]}`);
  if (!isSeq(document.contents)) throw usage(`${path}: holds no list of orders.`);
  return document.contents.items.map((item) => {
    const { range } = item as { range?: [number, number, number] };
    return recordAt(counter.linePos(range?.[0] ?? 0).line, (item as { toJSON(): unknown }).toJSON(), path);
  });
}

function recordAt(line: number, value: unknown, path: string): FileRecord {
  if (isFields(value)) return { line, fields: value };
  throw usage(`${path}, line ${line}: not an order with fields.`);
}

function ndjsonRecords(text: string, path: string): FileRecord[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [recordAt(index + 1, JSON.parse(line), path)];
    } catch (error) {
      throw error instanceof SyntaxError ? usage(`${path}, line ${index + 1}: not valid JSON.`) : error;
    }
  });
}

/** The records of a CSV, YAML or NDJSON text. Throws a usage error that names the line. */
export async function parseRecords(text: string, path: string): Promise<{ format: RecordFormat; records: FileRecord[] }> {
  const format = recordFormat(path, text);
  if (format === "ndjson") return { format, records: ndjsonRecords(text, path) };
  return { format, records: await (format === "csv" ? csvRecords(text, path) : yamlRecords(text, path)) };
}
