import type { EffectiveRow, SettingRow } from "../../../server/config/reference.ts";
import { type Context, columnsOf, define, flag, prose, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { fold } from "../../io/text.ts";
import { withSettings } from "./location-flags.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";

type Row = SettingRow & Partial<EffectiveRow>;
type CellText = (value: unknown, row: SettingRow) => string;

/** One line per setting; with values in effect those come before the defaults. */
function view(cellText: CellText, effective: boolean) {
  const values = columnsOf<Row>([prose("value", (row) => cellText(row.value, row)), "source"]);
  return viewOf<Row>([
    "setting",
    ...(effective ? values : []),
    prose("default", (row) => cellText(row.default, row)),
    ...columnsOf<Row>(["range", "unit", "variable", prose("meaning:description")]),
  ]);
}

function settingText(row: Row, cellText: CellText, width: number): string {
  const unit = row.unit === null ? "" : ` ${row.unit}`;
  const facts = [
    ...("value" in row ? [`Value: ${cellText(row.value, row)} (${row.source})`] : []),
    `Default: ${cellText(row.default, row)}`,
    `Allowed: ${row.range}${unit}`,
    ...(row.variable === null ? [] : [`Variable: ${row.variable}`]),
  ];
  const lines = [row.description, ...facts].flatMap((text) => fold(text, width - 6));
  return [`  ${row.setting}`, ...lines.map((line) => `      ${line}`)].join("\n");
}

/** For a terminal, where the names and meanings have no room beside each other: a heading for each section, a paragraph for each setting. */
function pageText(rows: readonly Row[], cellText: CellText, { io }: Context): string {
  const sections = [...new Set(rows.map(({ section }) => section))];
  return sections
    .map((section) => {
      const settings = rows.filter((row) => row.section === section);
      return [section.toUpperCase(), ...settings.map((row) => settingText(row, cellText, io.columns))].join("\n\n");
    })
    .join("\n\n");
}

export const config = define({
  name: "config",
  summary: "Describe the settings of config.json",
  description:
    "Prints every setting with its default, range, unit, environment variable and meaning. With --data, --database-url or --config, " +
    "also prints the values in effect and where each comes from; secrets are not shown. --schema prints a JSON Schema of config.json, " +
    "--example a complete config.json with the defaults.",
  risk: "local",
  args: {},
  flags: {
    ...withSettings,
    schema: flag.toggle("Print a JSON Schema of config.json"),
    example: flag.toggle("Print a complete config.json with the defaults"),
  },
  examples: [
    "playtest serve config",
    "playtest serve config --data /srv/playtest",
    "playtest serve config --example > config.json",
    "playtest serve config --data /srv/playtest --jq '.result[] | select(.source != \"default\")'",
  ],
  async run({ flags: { schema, example, ...given } }, ctx) {
    if (schema && example) throw usage("--schema and --example cannot be used together.");
    const server = await import("../../../server/config/reference.ts");
    if (schema || example) {
      const document = schema ? server.jsonSchema() : server.exampleConfig();
      return ctx.verbatim(JSON.stringify(document, null, 2), document);
    }
    const { locate, reportLocation } = await import("../../../server/database/drivers.ts");
    const effective = Object.values(given).some((value) => value !== undefined);
    const options = { ...given, env: serverEnv(ctx) };
    try {
      const rows: Row[] = effective
        ? await server.effectiveRows({ ...options, location: reportLocation(locate(options)) })
        : server.settingRows();
      if (ctx.io.terminal.stdout && ctx.out.format.kind === "auto")
        return ctx.verbatim(pageText(rows, server.cellText, ctx), rows);
      return ctx.rows("settings", rows, view(server.cellText, effective));
    } catch (error) {
      throw refused(error);
    }
  },
});
