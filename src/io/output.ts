import { type CliError, usage } from "../errors.ts";
import {
  at,
  type CellOptions,
  type Column,
  col,
  columnValue,
  csvLine,
  fill,
  guard,
  show,
  type TimeMode,
  type View,
} from "./cells.ts";
import type { Format } from "./formats.ts";
import type { Sink } from "./sink.ts";
import { lines, oneLine, type Paint, toJson } from "./text.ts";

type Item = Record<string, unknown>;

/** A page as a list command hands it over: the server's `data`, and which array in it holds the items. */
export interface ListPage {
  key: string;
  items: readonly unknown[];
  data: unknown;
  meta: { cursor?: string | null; hasMore?: boolean };
}

/** What a command gives back; the framework prints it in the format asked for. */
export type Outcome = (
  | { kind: "item"; data: unknown; subject: unknown; view?: View | undefined }
  | { kind: "list"; pages: AsyncIterable<ListPage>; view?: View | undefined }
  | { kind: "rows"; key: string; items: readonly Item[]; view?: View | undefined }
  | { kind: "text"; text: string; data: unknown }
) & {
  /** How the command ends although its output is whole, such as an order that is left unpaid. */
  failure?: CliError | undefined;
};

export interface OutputOptions {
  format: Format;
  sink: Sink;
  columns: number;
  paint: Paint;
  time: TimeMode | undefined;
  header: boolean;
  rawCells: boolean;
  quiet: boolean;
  now(): number;
  err(text: string): void;
  /** Told of the items whose ids were shown in their short form. */
  shown(key: string, items: readonly Item[]): void;
}

export interface Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Refuses what is wrong with the format whatever the data, before anything is sent. */
  check(): Promise<void>;
  /** `done`: the command made a change, so a field that is not there is a warning: the outcome must not look like a refusal. */
  emit(outcome: Outcome, done?: boolean): Promise<void>;
  /** One event of long work (`progress`, `item`, `warning`, `result`): printed with --ndjson, as text where given. */
  line(event: { type: string } & Item, text?: string): Promise<void>;
  /** One item of an output that has no end, in the format asked for; `shown` is its line of text. */
  each(item: object, shown: string, view?: View): Promise<void>;
  /** A remark for a person, on standard error; silent with -q. */
  note(text: string): void;
  warn(text: string): void;
  /** Bytes or text as they are. */
  raw(chunk: string | Uint8Array): Promise<void>;
}

/** Columns for data no view describes: the plain fields of the first item. */
const guess = (item: Item | undefined): View => ({ columns: Object.keys(item ?? {}).map((key) => col(key, key)) });

/** The one object inside `{ game: {…} }`; several or none: the data itself. */
export function subjectOf(data: unknown): unknown {
  const values = Object.values((data ?? {}) as object);
  const [only] = values;
  return values.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only) ? only : data;
}

type Missing = (error: CliError) => void;

function pickFields(items: readonly Item[], fields: readonly string[], missing: Missing): Item[] {
  const unknown = fields.find((field) => items.length > 0 && items.every((item) => at(item, field) === undefined));
  if (unknown) {
    const known = [...new Set(items.flatMap((item) => Object.keys(item)))];
    missing(usage(`--json: there is no field ${unknown}.`, `Fields: ${known.join(", ")}.`));
  }
  return items.map((item) => Object.fromEntries(fields.map((field) => [field, at(item, field) ?? null])));
}

/** The data with its subject narrowed to some fields, in its place, and without what stands beside it. */
function narrow(data: unknown, subject: unknown, fields: readonly string[], missing: Missing): unknown {
  if (data === subject) return pickFields([subject as Item], fields, missing)[0];
  if (typeof data !== "object" || data === null) return undefined;
  const kept = Object.entries(data).map(([key, value]) => [key, narrow(value, subject, fields, missing)] as const);
  const found = kept.filter(([, value]) => value !== undefined);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function createOutput(options: OutputOptions): Output {
  const { format, sink, now, quiet } = options;
  const terminal = sink.terminal && format.kind === "auto";
  const indent = sink.terminal ? 2 : 0;
  const cells: CellOptions = {
    now,
    time: options.time ?? (terminal ? "relative" : "iso"),
    paint: options.paint,
    shortIds: terminal,
  };
  const textCells: CellOptions = { ...cells, paint: (_, text) => text, shortIds: false, time: options.time ?? "iso" };

  const writeJson = (value: unknown) => sink.write(`${toJson(value, indent)}\n`);
  const warn = (message: string) => options.err(`${options.paint("yellow", "warning:")} ${lines(message)}\n`);
  let changed = false;
  const missing = (error: CliError) => {
    if (!changed) throw error;
    warn(`${error.message} ${error.extra.hint}`);
  };
  const note = (text: string) => {
    if (!quiet) options.err(`${lines(text)}\n`);
  };

  function rowText(columns: readonly Column[], item: Item): string {
    const texts = columns.map((column) => show(columnValue(column, item), column.as, textCells));
    const safe = options.rawCells || format.kind === "auto" ? texts : texts.map(guard);
    return format.kind === "csv" ? csvLine(safe) : `${safe.join("\t")}\n`;
  }

  const headerText = (columns: readonly Column[]) => {
    const names = columns.map((column) => column.header);
    return format.kind === "csv" ? csvLine(names) : `${names.join("\t")}\n`;
  };

  async function drawTable(columns: readonly Column[], items: readonly Item[]) {
    const { table } = await import("./table.ts");
    const cell = ({ give, ...column }: Column, item: Item) => {
      const value = columnValue(column, item);
      // Line breaks stay where there is room for lines.
      const parts = give === "wrap" && typeof value === "string" ? value.trimEnd().split(/\r?\n/) : [value];
      return parts.map((part) => show(part, column.as, cells)).join("\n");
    };
    const drawn = columns.map((column) => ({
      head: options.paint("bold", column.header.toUpperCase()),
      give: column.give,
      cells: items.map((item) => cell(column, item)),
    }));
    await sink.write(await table(drawn, options.columns));
  }

  async function detailView(view: View, item: Item) {
    const all = view.columns.map((column) => [column.header, columnValue(column, item), column.as] as const);
    if (!terminal) return sink.write(all.map(([header, value, as]) => `${header}\t${show(value, as, textCells)}\n`).join(""));
    const filled = all.filter(([, value, as]) => show(value, as, textCells) !== "");
    const width = Math.max(0, ...filled.map(([header]) => header.length));
    const drawn = filled.map(([header, value, as]) => {
      const text = typeof value === "string" && as === "text" ? lines(value) : show(value, as, { ...cells, shortIds: false });
      const indented = text.replaceAll("\n", `\n${" ".repeat(width + 2)}`);
      return `${options.paint("bold", header.padEnd(width))}  ${indented}`.trimEnd();
    });
    await sink.write(`${drawn.join("\n")}\n`);
  }

  async function item({ data, subject, view }: Extract<Outcome, { kind: "item" }>) {
    if (format.kind === "json") return writeJson(format.fields ? narrow(data, subject, format.fields, missing) : data);
    if (format.kind === "ndjson") return sink.write(`${toJson(data)}\n`);
    if (format.kind === "jq") return query(data, format.expression);
    const row = subject as Item;
    if (format.kind === "template") return sink.write(`${fill(format.template, row, now())}\n`);
    const shown = view ?? guess(row);
    if (format.kind === "auto") return detailView(shown, row);
    await sink.write(headerText(shown.columns) + rowText(shown.columns, row));
  }

  async function query(data: unknown, expression: string) {
    const { jq } = await import("./jq.ts");
    await sink.write(await jq(JSON.stringify(data), expression, (text) => options.err(`${lines(text)}\n`)));
  }

  /** Formats that print item after item, as the pages come. */
  async function streamed(pages: AsyncIterable<ListPage>, view: View | undefined) {
    let columns: readonly Column[] | undefined = view?.columns.filter((column) => !column.detail);
    let first = true;
    for await (const page of pages) {
      const items = page.items as Item[];
      columns ??= items[0] && guess(items[0]).columns;
      const wanted = format.kind === "csv" || format.kind === "tsv" || options.header;
      if (first && columns && wanted && format.kind !== "ndjson" && format.kind !== "template")
        await sink.write(headerText(columns));
      first = false;
      await sink.write(items.map((one) => streamedLine(columns ?? [], one)).join(""));
    }
  }

  function streamedLine(columns: readonly Column[], one: Item): string {
    if (format.kind === "ndjson") return `${toJson(one)}\n`;
    return format.kind === "template" ? `${fill(format.template, one, now())}\n` : rowText(columns, one);
  }

  async function collected(pages: AsyncIterable<ListPage>) {
    const all: Item[] = [];
    let firstData: Item | undefined;
    let last: ListPage | undefined;
    for await (const page of pages) {
      all.push(...(page.items as Item[]));
      firstData ??= page.data as Item;
      last = page;
    }
    const { cursor = null, hasMore = false } = last?.meta ?? {};
    return { all, key: last?.key ?? "items", data: firstData ?? {}, page: { cursor, hasMore, fetched: all.length } };
  }

  async function list({ pages, view }: Extract<Outcome, { kind: "list" }>) {
    if (!terminal && format.kind !== "json" && format.kind !== "jq") return streamed(pages, view);
    const { all, key, data, page } = await collected(pages);
    const whole = { ...data, [key]: all, page };
    if (format.kind === "jq") return query(whole, format.expression);
    if (format.kind === "json")
      return writeJson(format.fields ? { ...whole, [key]: pickFields(all, format.fields, missing) } : whole);
    if (all.length === 0) return note(view?.empty ?? `No ${key}.`);
    await drawTable(
      (view ?? guess(all[0])).columns.filter((column) => !column.detail),
      all,
    );
    options.shown(key, all);
    if (page.hasMore) note(`${all.length} shown; more with --all or --limit N.`);
  }

  /** A list made here, as the one page of a list; as JSON it is the result. */
  async function rows({ key, items, view }: Extract<Outcome, { kind: "rows" }>) {
    if (format.kind === "jq") return query({ result: items }, format.expression);
    if (format.kind === "json") return writeJson({ result: format.fields ? pickFields(items, format.fields, missing) : items });
    async function* one() {
      yield { key, items, data: {}, meta: {} };
    }
    await list({ kind: "list", pages: one(), view });
  }

  async function text({ text, data }: Extract<Outcome, { kind: "text" }>) {
    if (format.kind !== "auto") return item({ kind: "item", data, subject: subjectOf(data) });
    const safe = lines(text);
    await sink.write(safe.endsWith("\n") ? safe : `${safe}\n`);
  }

  let streaming: readonly Column[] | undefined;
  async function each(one: Item, shown: string, view?: View) {
    if (format.kind === "json")
      return sink.write(`${toJson(format.fields ? pickFields([one], format.fields, missing)[0] : one)}\n`);
    if (format.kind === "jq") return query(one, format.expression);
    if (format.kind === "auto") return sink.write(`${oneLine(shown)}\n`);
    const first = streaming === undefined;
    streaming ??= (view ?? guess(one)).columns.filter((column) => !column.detail);
    const head = first && (format.kind === "csv" || format.kind === "tsv") ? headerText(streaming) : "";
    await sink.write(head + streamedLine(streaming, one));
  }

  async function emit(outcome: Outcome, done = false) {
    changed = done;
    if (outcome.kind === "list") return list(outcome);
    if (outcome.kind === "rows") return rows(outcome);
    if (outcome.kind === "text") return text(outcome);
    await item(outcome);
  }

  return {
    format,
    paint: options.paint,
    async check() {
      await sink.open();
      if (format.kind === "jq") await (await import("./jq.ts")).checkExpression(format.expression);
    },
    emit,
    each: (one, shown, view) => each(one as Item, shown, view),
    note,
    async line(event, shown) {
      if (format.kind === "ndjson") return sink.write(`${toJson(event)}\n`);
      if (shown !== undefined && format.kind === "auto") await sink.write(`${oneLine(shown)}\n`);
    },
    warn,
    raw: (chunk) => sink.write(chunk),
  };
}
