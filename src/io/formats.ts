import { usage } from "../errors.ts";
import { filterNames, unknownFilters } from "./cells.ts";

/** Output format. `auto` is a table on a terminal and tab-separated text elsewhere. */
export type Format =
  | { kind: "auto" | "ndjson" | "tsv" }
  | { kind: "csv"; forExcel: boolean }
  | { kind: "json"; fields?: readonly string[] }
  | { kind: "jq"; expression: string }
  | { kind: "template"; template: string };

export interface FormatFlags {
  json?: string | undefined;
  jq?: string | undefined;
  template?: string | undefined;
  ndjson?: boolean | undefined;
  csv?: string | undefined;
  tsv?: boolean | undefined;
}

/** The requested output format. `--jq` may be combined with a plain `--json`; any other two formats are a usage error. */
export function chooseFormat(flags: FormatFlags): Format {
  const { json, jq, template } = flags;
  const asked = (["json", "jq", "template", "ndjson", "csv", "tsv"] as const).filter(
    (name) => flags[name] !== undefined && flags[name] !== false && !(name === "json" && json === "" && jq !== undefined),
  );
  if (asked.length > 1)
    throw usage(`${asked.map((name) => `--${name}`).join(" and ")} cannot be used together.`, "Use only one of them.");
  if (jq !== undefined) return { kind: "jq", expression: jq };
  if (json !== undefined) return json === "" ? { kind: "json" } : { kind: "json", fields: fieldNames(json) };
  if (template !== undefined) return { kind: "template", template: checkTemplate(template) };
  if (flags.csv !== undefined) return { kind: "csv", forExcel: isForExcel(flags.csv) };
  return { kind: flags.ndjson ? "ndjson" : flags.tsv ? "tsv" : "auto" };
}

function isForExcel(program: string) {
  if (program !== "" && program.toLowerCase() !== "excel") throw usage(`--csv=${program}: write --csv or --csv=excel.`);
  return program !== "";
}

function fieldNames(text: string) {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw usage(`--json=${text}: field names must not be empty.`);
  return names;
}

function checkTemplate(template: string) {
  const [unknown] = unknownFilters(template);
  if (unknown === undefined) return template;
  throw usage(`--template: unknown filter ${JSON.stringify(unknown)}.`, `Known filters: ${filterNames.join(", ")}.`);
}
