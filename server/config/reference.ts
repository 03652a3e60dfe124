import { join } from "node:path";
import * as z from "zod";
import type { LocationReport } from "./data-location.ts";
import { boundsOf, rangeText, shapeOf, valueText } from "./describe.ts";

import { readSettings } from "./read.ts";
import { allSettings, type Setting, schema, withoutJit } from "./schema.ts";
import { valueAt } from "./tree.ts";

/** One setting in the configuration reference. */
export interface SettingRow {
  setting: string;
  section: string;
  type: string;
  default: unknown;
  minimum: number | null;
  maximum: number | null;
  /** The allowed values, in words. */
  range: string;
  unit: string | null;
  variable: string | null;
  description: string;
}

const sectionTitles = new Map(
  Object.entries(schema.shape).map(([key, type]) => [key, ((type as z.ZodType).meta()?.description as string) ?? key]),
);

/** Settings at the top of the file belong to no section of it. */
const sectionOf = (name: string) => (name.includes(".") ? sectionTitles.get(name.split(".")[0]!)! : "General");

function rowOf(setting: Setting): SettingRow {
  const shape = shapeOf(setting.type);
  const [minimum, maximum] = boundsOf(shape);
  return {
    setting: setting.name,
    section: sectionOf(setting.name),
    type: shape.type!,
    default: shape.default,
    minimum,
    maximum,
    range: rangeText(shape),
    unit: shape["x-unit"] ?? null,
    variable: setting.variable ?? null,
    description: shape.description!,
  };
}

/** Settings that cannot be in the file, because they say where the file and the data are, or how to decrypt the data. */
const outsideRows = (
  [
    [
      "--data",
      "XDG_DATA_HOME/playtest or ~/.local/share/playtest",
      "a path",
      null,
      "Data directory: config.json, the instance key, uploads and, without PostgreSQL, the database.",
    ],
    [
      "--database-url",
      "SQLite in the data directory",
      "a postgres:// URL",
      "PLAYTEST_DATABASE_URL, DATABASE_URL",
      "PostgreSQL database. The flag comes before the variables. An empty value means SQLite.",
    ],
    [
      "PLAYTEST_SECRET_KEY",
      "instance.key in the data directory",
      "64 hexadecimal digits",
      "PLAYTEST_SECRET_KEY",
      "Key that encrypts secrets in the database and signs links. Processes on the same database need the same key.",
    ],
  ] as const
).map(([setting, initial, range, variable, description]) => ({
  ...{ setting, section: "Data and key", type: "string", default: initial, minimum: null, maximum: null },
  ...{ range, unit: null, variable, description },
}));

/** Every setting: first those that are not in the file, then those of the file in its order. */
export const settingRows = (): SettingRow[] => [...outsideRows, ...allSettings().map(rowOf)];

/** A row with the effective value. */
export interface EffectiveRow extends SettingRow {
  value: unknown;
  /** The source of the value: a flag, the name of an environment variable, the path of the file, or "default". */
  source: string;
}

interface Options {
  env: Readonly<Record<string, string | undefined>>;
  config?: string | undefined;
  location: LocationReport;
}

/** Every setting with its effective value. Secrets are not shown. Throws ConfigError when the configuration is not valid. */
export async function effectiveRows({ env, config, location }: Options): Promise<EffectiveRow[]> {
  const { database, databaseFrom, dataDir, dataDirFrom } = location;
  const { settings, sourceOf } = await readSettings(env, dataDir, config);
  const key = env.PLAYTEST_SECRET_KEY === undefined ? "default" : "PLAYTEST_SECRET_KEY";
  const outside = [
    { value: dataDir, source: dataDirFrom },
    { value: database, source: databaseFrom },
    { value: key === "default" ? join(dataDir, "instance.key") : hidden, source: key },
  ];
  const inside = allSettings().map(({ name, secret }) => {
    const value = valueAt(settings, name.split("."));
    return { value: secret && value !== null ? hidden : value, source: sourceOf(name) };
  });
  const values = [...outside, ...inside];
  return settingRows().map((row, index) => ({ ...row, ...values[index]! }));
}

const hidden = "set (not shown)";

/** JSON Schema 2020-12 of `config.json`, for editors and other programs. */
export function jsonSchema(): object {
  const { properties, ...document } = z.toJSONSchema(schema, { io: "input" });
  const address = { $schema: { type: "string", description: "Address of this JSON Schema, for editors." } };
  return { ...document, properties: { ...address, ...properties } };
}

/** A complete `config.json` with every setting at its default. */
export const exampleConfig = (): object => schema.parse({}, withoutJit);

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll(/[|<]/g, "\\$&");

/** A value of a setting as a table cell. */
export const cellText = (value: unknown, { setting, unit }: SettingRow) =>
  /^[a-z]+\b/.test(setting) ? valueText(value, unit ?? undefined) : String(value);

const defaultText = (row: SettingRow) => cellText(row.default, row).replace(/^[^- ]\S*(?= \(|$)/, code);

function table(rows: readonly SettingRow[]): string[] {
  const columns: [string, (row: SettingRow) => string][] = [
    ["Setting", ({ setting }) => code(setting)],
    ["Default", (row) => defaultText(row)],
    ["Range", ({ range }) => cell(range)],
    ["Unit", ({ unit }) => unit ?? ""],
    ["Variable", ({ variable }) => (variable === null ? "" : variable.split(", ").map(code).join(", "))],
    ["Meaning", ({ description }) => cell(description)],
  ];
  const shown = columns.filter(([, text]) => rows.some((row) => text(row) !== ""));
  const line = (texts: string[]) => `| ${texts.join(" | ")} |`;
  return [
    line(shown.map(([head]) => head)),
    line(shown.map(() => "---")),
    ...rows.map((row) => line(shown.map(([, text]) => text(row)))),
  ];
}

/** The configuration reference in Markdown: a heading and a table for each section. */
export function configurationReference(): string {
  const rows = settingRows();
  const sections = [...new Set(rows.map(({ section }) => section))];
  const texts = sections.map((section) =>
    [`## ${section}`, "", ...table(rows.filter((row) => row.section === section))].join("\n"),
  );
  return texts.join("\n\n");
}
