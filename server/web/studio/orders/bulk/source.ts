import { type RecordFormat, recordFormat } from "../../../../../src/contract/files/records.ts";
import { decode } from "../../../../../src/contract/input/decode.ts";
import { Refused } from "../../../../../src/contract/input/refused.ts";
import type { Form } from "../../../types.ts";

/** The file or text with the rows to order. */
export interface Source {
  /** The name of the file; empty for pasted text. */
  name: string;
  text: string;
  /** Of a file also by its name; the text may be of another one by now. */
  format: RecordFormat;
  /** What it is called in messages. */
  file: string;
}

/** The most that one page orders. The command takes more. */
export const mostRows = 200;
const mostKiB = 256;

const useCommand = "Split it, or order it with the command `playtest bulk`, which takes more.";

export const tooMany = (file: string, rows: number): Refused =>
  new Refused(`${file} has ${rows} rows, and this page takes at most ${mostRows}. Nothing was ordered.`, useCommand);

/** What was chosen, or else what was pasted. Throws a `Refused`. */
export function sourceOf(form: Form): Source {
  const bytes = Buffer.from(form.file ?? "", "latin1");
  const isFile = bytes.length > 0;
  const name = (isFile ? form["file.filename"] : form.name) ?? "";
  const file = name || "The text";
  const text = isFile ? decode(bytes, file) : (form.text ?? "");
  if (text.trim() === "") throw new Refused("There is nothing to read. Nothing was ordered.", "Choose a file, or paste a table.");
  if (Buffer.byteLength(text) > mostKiB * 1024)
    throw new Refused(`${file} is larger than ${mostKiB} KiB. Nothing was ordered.`, useCommand);
  // Some short texts in YAML take minutes to read, for which a server does not stand still.
  const found = recordFormat(isFile ? name : "", text);
  // A list with a typing mistake is more likely JSON: its parser says where the mistake is.
  const format = found === "yaml" && text.trimStart().startsWith("[") && !/\.ya?ml$/i.test(name) ? "json" : found;
  if (format === "yaml")
    throw new Refused(
      `${file} is YAML, which this page does not read. Nothing was ordered.`,
      "Write it as CSV or JSON, or order it with the command `playtest bulk`.",
    );
  return { name, text, format, file };
}
