import type { CliError, Interrupted } from "../errors.ts";
import { type CellOptions, type Column, columnValue, fill, type TimeMode, type View } from "./cells.ts";
import { guessTable, guessView, type Item, narrow, pickFields, subjectOf } from "./fields.ts";
import type { Format } from "./formats.ts";
import { detailText, fieldLines, headerLine, itemLine, type LineOptions, tableText } from "./layouts.ts";
import type { Sink } from "./sink.ts";
import { foldLines, lines, oneLine, type Paint, toJson } from "./text.ts";

/** One page of a list: the server's `data`, and the array in it that holds the items. */
export interface ListPage {
  key: string;
  items: readonly unknown[];
  data: unknown;
  meta: { cursor?: string | null; hasMore?: boolean };
}

interface Text {
  kind: "text";
  text: string;
  data: unknown;
  /** The text is for programs, or laid out already: nothing in it is folded. */
  verbatim?: boolean | undefined;
  /** What CSV and TSV show instead of the data. */
  table?: (() => Promise<Table>) | undefined;
}

/** Lines and columns. */
export interface Table {
  columns: readonly Column[];
  rows: readonly object[];
}

/** The result of a command. The framework prints it in the requested format. */
export type Outcome = (
  | { kind: "item"; data: unknown; subject: unknown; view?: View | undefined }
  | { kind: "list"; pages: AsyncIterable<ListPage>; view?: View | undefined }
  | { kind: "rows"; key: string; items: readonly Item[]; view?: View | undefined; more?: object | undefined }
  | Text
) & {
  /** Error to end with after the complete output, for example for an order that is left unpaid. */
  failure?: CliError | Interrupted | undefined;
};

export interface OutputOptions {
  format: Format;
  sink: Sink;
  columns: number;
  /** Columns for messages on standard error. */
  messageColumns: number;
  paint: Paint;
  /** For messages on standard error. */
  paintMessage: Paint;
  time: TimeMode | undefined;
  header: boolean;
  rawCells: boolean;
  quiet: boolean;
  now(): number;
  /** Whether the server runs without payments, so that a person sees amounts only where there are some. */
  withoutPayments(): boolean;
  err(text: string): void;
  /** Called with the items whose short ids were shown. */
  shown(key: string, items: readonly Item[]): void;
}

export interface Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Throws if the output format cannot work, whatever the data. Called before anything is sent. */
  check(): Promise<void>;
  /** `done`: the command changed something, so an unknown field is only a warning; an error would suggest that nothing happened. */
  emit(outcome: Outcome, done?: boolean): Promise<void>;
  /** One event of a long task (`progress`, `item`, `warning`, `result`): JSON with --ndjson; otherwise `text`, if given. */
  line(event: { type: string } & Item, text?: string): Promise<void>;
  /** One item of a continuous output, in the requested format. `shown` is its line of text. The output is complete after each. */
  each(item: object, shown: string, view?: View): Promise<void>;
  /** An informational message on standard error. Suppressed by --quiet. */
  note(text: string): void;
  warn(text: string): void;
  /** Writes bytes or text unchanged. */
  raw(chunk: string | Uint8Array): Promise<void>;
}

/** Prints the result of a command in the requested format. */
export class CommandOutput implements Output {
  readonly format: Format;
  readonly paint: Paint;
  readonly #options: OutputOptions;
  readonly #sink: Sink;
  /** Whether the output is for a person: tables, short ids and relative times. */
  readonly #forPerson: boolean;
  readonly #cells: CellOptions;
  readonly #lines: LineOptions;
  #changed = false;
  /** Whether the output is continuous: then nothing is missing from it, whenever and however the command ends. */
  isContinuous = false;
  /** The columns of `each`, set with the first item. */
  #columns: readonly Column[] | undefined;

  constructor(options: OutputOptions) {
    const { format, sink, paint, now, time, rawCells } = options;
    this.#options = options;
    this.format = format;
    this.paint = paint;
    this.#sink = sink;
    this.#forPerson = sink.terminal && format.kind === "auto";
    this.#cells = { now, paint, time: time ?? (this.#forPerson ? "relative" : "iso"), shortIds: this.#forPerson };
    this.#lines = {
      csv: format.kind === "csv",
      byteOrderMark: format.kind === "csv" && format.forExcel,
      escapeFormulas: !rawCells && format.kind !== "auto",
      cells: { now, paint: (_, text) => text, time: time ?? "iso", shortIds: false },
    };
  }

  async check() {
    await this.#sink.open();
    if (this.format.kind === "jq") await (await import("./jq.ts")).checkExpression(this.format.expression);
  }

  async emit(outcome: Outcome, done = false) {
    this.#changed = done;
    if (outcome.kind === "list") return this.#list(outcome);
    if (outcome.kind === "rows") return this.#rows(outcome);
    if (outcome.kind === "text") return this.#text(outcome);
    await this.#item(outcome);
  }

  async line(event: { type: string } & Item, text?: string) {
    if (this.format.kind === "ndjson") return this.#sink.write(`${toJson(event)}\n`);
    if (text === undefined || this.format.kind !== "auto") return;
    const shown = oneLine(text);
    await this.#sink.write(`${this.#sink.terminal ? foldLines(shown, this.#options.columns) : shown}\n`);
  }

  async each(item: object, shown: string, view?: View) {
    await this.#each(item as Item, shown, view);
    this.isContinuous = true;
  }

  async #each(one: Item, shown: string, view?: View) {
    const { format } = this;
    if (format.kind === "json") return this.#sink.write(`${toJson(format.fields ? this.#pick([one], format.fields)[0] : one)}\n`);
    if (format.kind === "jq") return this.#query(one, format.expression);
    if (format.kind === "auto") return this.#sink.write(`${oneLine(shown)}\n`);
    const first = this.#columns === undefined;
    this.#columns ??= tableColumns(view ?? guessView(one));
    const wantsHeader = first && (format.kind === "csv" || format.kind === "tsv");
    await this.#sink.write((wantsHeader ? headerLine(this.#columns, this.#lines) : "") + this.#streamedLine(this.#columns, one));
  }

  note(text: string) {
    if (!this.#options.quiet) this.#options.err(`${foldLines(lines(text), this.#options.messageColumns)}\n`);
  }

  warn(text: string) {
    const message = foldLines(`warning: ${lines(text)}`, this.#options.messageColumns);
    this.#options.err(`${message.replace("warning:", this.#options.paintMessage("yellow", "warning:"))}\n`);
  }

  raw(chunk: string | Uint8Array) {
    return this.#sink.write(chunk);
  }

  async #item({ data, subject, view }: Extract<Outcome, { kind: "item" }>) {
    const { format } = this;
    if (format.kind === "json")
      return this.#json(format.fields ? narrow(data, subject, format.fields, (error) => this.#onMissing(error)) : data);
    if (format.kind === "ndjson") return this.#sink.write(`${toJson(data)}\n`);
    if (format.kind === "jq") return this.#query(data, format.expression);
    const row = subject as Item;
    if (format.kind === "template") return this.#sink.write(`${fill(format.template, row, this.#options.now())}\n`);
    const shown = view ?? guessView(row);
    if (this.#forPerson)
      return this.#sink.write(
        await detailText({ columns: this.#withoutMoney(shown.columns, [row]) }, row, this.#cells, this.#options.columns),
      );
    if (format.kind === "auto")
      return this.#sink.write(fieldLines({ columns: this.#blankMoney(shown.columns, row) }, row, this.#lines.cells));
    await this.#table(view ? { columns: view.columns, rows: [row] } : guessTable(row));
  }

  async #table({ columns, rows }: Table) {
    const line = (row: Item) => itemLine(this.#blankMoney(columns, row), row, this.#lines);
    await this.#sink.write(headerLine(columns, this.#lines) + rows.map((row) => line(row as Item)).join(""));
  }

  async #list({ pages, view }: Extract<Outcome, { kind: "list" }>) {
    const { format } = this;
    if (!this.#forPerson && format.kind !== "json" && format.kind !== "jq") return this.#stream(pages, view);
    const { all, key, data, page } = await collect(pages);
    const whole = { ...data, [key]: all, page };
    if (format.kind === "jq") return this.#query(whole, format.expression);
    if (format.kind === "json") return this.#json(format.fields ? { ...whole, [key]: this.#pick(all, format.fields) } : whole);
    if (all.length === 0) return this.note(view?.empty ?? `No ${key}.`);
    const columns = this.#withoutMoney(tableColumns(view ?? guessView(all[0])), all);
    const footer = view?.footer?.(data);
    await this.#sink.write(await tableText(columns, footer ? [...all, footer] : all, this.#cells, this.#options.columns));
    this.#shown(key, all, columns);
    if (page.hasMore) this.note(`Showing ${all.length}. Use --all or --limit N to list more.`);
  }

  /** The columns without those about money that have none, where the server runs without payments. */
  #withoutMoney(columns: readonly Column[], items: readonly Item[]): readonly Column[] {
    if (!this.#options.withoutPayments()) return columns;
    return columns.filter((column) => !items.every((item) => hasNoMoney(column, item)));
  }

  /** A line for programs keeps its fields: those about money that have none are empty where the server runs without payments. */
  #blankMoney(columns: readonly Column[], item: Item): readonly Column[] {
    if (!this.#options.withoutPayments()) return columns;
    return columns.map((column) => (hasNoMoney(column, item) ? { ...column, value: () => null } : column));
  }

  /** Reports every id that the table showed in its short form: those of the items, and those of what they belong to. */
  #shown(key: string, items: readonly Item[], columns: readonly Column[]) {
    for (const column of columns.filter(({ as, value }) => as === "id" && value !== "id" && value !== "slot.id")) {
      const related = items.map((item) => ({ id: columnValue(column, item), status: item.status }));
      this.#options.shown(
        `${column.header}s`,
        related.filter(({ id }) => typeof id === "string"),
      );
    }
    this.#options.shown(key, items);
  }

  /** Prints a complete list; as JSON, `{ result }` and what else is known. */
  async #rows({ key, items, view, more }: Extract<Outcome, { kind: "rows" }>) {
    const { format } = this;
    if (format.kind === "jq") return this.#query({ result: items, ...more }, format.expression);
    if (format.kind === "json") return this.#json({ result: format.fields ? this.#pick(items, format.fields) : items, ...more });
    async function* one() {
      yield { key, items, data: {}, meta: {} };
    }
    await this.#list({ kind: "list", pages: one(), view });
  }

  async #text({ text, data, verbatim = false, table }: Text) {
    const { kind } = this.format;
    if (table && (kind === "csv" || kind === "tsv")) return this.#table(await table());
    if (kind !== "auto") return this.#item({ kind: "item", data, subject: subjectOf(data) });
    const safe = verbatim || !this.#sink.terminal ? lines(text) : foldLines(lines(text), this.#options.columns);
    await this.#sink.write(safe.endsWith("\n") ? safe : `${safe}\n`);
  }

  /** Prints a list page by page, for formats that allow it. */
  async #stream(pages: AsyncIterable<ListPage>, view: View | undefined) {
    const { kind } = this.format;
    const wantsHeader = kind === "csv" || kind === "tsv" || (this.#options.header && kind !== "ndjson" && kind !== "template");
    let columns: readonly Column[] | undefined = view && tableColumns(view);
    let first = true;
    for await (const page of pages) {
      const items = page.items as Item[];
      columns ??= items[0] && guessView(items[0]).columns;
      if (first && columns && wantsHeader) await this.#sink.write(headerLine(columns, this.#lines));
      first = false;
      await this.#sink.write(items.map((one) => this.#streamedLine(columns ?? [], one)).join(""));
    }
  }

  #streamedLine(columns: readonly Column[], one: Item): string {
    const { format } = this;
    if (format.kind === "ndjson") return `${toJson(one)}\n`;
    if (format.kind === "template") return `${fill(format.template, one, this.#options.now())}\n`;
    return itemLine(this.#blankMoney(columns, one), one, this.#lines);
  }

  #json(value: unknown) {
    return this.#sink.write(`${toJson(value, this.#sink.terminal ? 2 : 0)}\n`);
  }

  async #query(data: unknown, expression: string) {
    const { jq } = await import("./jq.ts");
    await this.#sink.write(await jq(JSON.stringify(data), expression, (text) => this.#options.err(`${lines(text)}\n`)));
  }

  #pick(items: readonly Item[], fields: readonly string[]) {
    return pickFields(items, fields, (error) => this.#onMissing(error));
  }

  #onMissing(error: CliError) {
    if (!this.#changed) throw error;
    this.warn(`${error.message} ${error.extra.hint}`);
  }
}

/** Whether a column is about money, and an item has none. */
function hasNoMoney(column: Column, item: Item): boolean {
  if (column.as !== "usd" && column.money !== true) return false;
  const value = columnValue(column, item);
  return value === null || value === undefined || value === 0 || value === "" || value === "free";
}

const tableColumns = ({ columns }: View) => columns.filter((column) => !column.detail);

async function collect(pages: AsyncIterable<ListPage>) {
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
