import { usage } from "../errors.ts";
import { filterNames, unknownFilters } from "./cells.ts";

/** How results are printed. `auto` is a table on a terminal and tab-separated text elsewhere. */
export type Format =
  | { kind: "auto" | "ndjson" | "csv" | "tsv" }
  | { kind: "json"; fields?: readonly string[] }
  | { kind: "jq"; expression: string }
  | { kind: "template"; template: string };

export interface FormatFlags {
  json?: string | undefined;
  jq?: string | undefined;
  template?: string | undefined;
  ndjson?: boolean | undefined;
  csv?: boolean | undefined;
  tsv?: boolean | undefined;
}

/** The one output format asked for; `--jq` may go with a plain `--json`. Two formats are a usage error. */
export function chooseFormat(flags: FormatFlags): Format {
  const { json, jq, template } = flags;
  const asked = (["json", "jq", "template", "ndjson", "csv", "tsv"] as const).filter(
    (name) => flags[name] !== undefined && flags[name] !== false && !(name === "json" && json === "" && jq !== undefined),
  );
  if (asked.length > 1) throw usage(`${asked.map((name) => `--${name}`).join(" and ")} exclude each other.`, "Use one of them.");
  if (jq !== undefined) return { kind: "jq", expression: jq };
  if (json !== undefined) return json === "" ? { kind: "json" } : { kind: "json", fields: fieldNames(json) };
  if (template !== undefined) return { kind: "template", template: checkTemplate(template) };
  return { kind: flags.ndjson ? "ndjson" : flags.csv ? "csv" : flags.tsv ? "tsv" : "auto" };
}

function fieldNames(text: string) {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw usage(`--json=${text}: a field name is missing.`);
  return names;
}

function checkTemplate(template: string) {
  const [unknown] = unknownFilters(template);
  if (unknown === undefined) return template;
  throw usage(`--template: there is no filter ${JSON.stringify(unknown)}.`, `Filters: ${filterNames.join(", ")}.`);
}
