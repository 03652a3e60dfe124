import { z } from "zod";
import { boundsOf, rangeText, shapeOf, valueText } from "./describe.ts";
import { allSettings, type Setting, schema } from "./schema.ts";

/** One setting as the reference shows it. */
export interface SettingRow {
  setting: string;
  section: string;
  type: string;
  default: unknown;
  minimum: number | null;
  maximum: number | null;
  /** What it may be, in words. */
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

/** Every setting, in the order of the file. */
export const settingRows = (): SettingRow[] => allSettings().map(rowOf);

/** JSON Schema 2020-12 of `config.json`, for editors and other programs. */
export const jsonSchema = (): object => z.toJSONSchema(schema, { io: "input" });

/** A complete `config.json` with every setting at its default. */
export const exampleConfig = (): object => schema.parse({});

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll(/[|<]/g, "\\$&");

const defaultText = ({ default: value, unit }: SettingRow) =>
  valueText(value, unit ?? undefined).replace(/^\S.*?(?= \(|$)/, code);

function table(rows: readonly SettingRow[]): string[] {
  const columns: [string, (row: SettingRow) => string][] = [
    ["Setting", ({ setting }) => code(setting)],
    ["Default", (row) => defaultText(row)],
    ["Range", ({ range }) => cell(range)],
    ["Unit", ({ unit }) => unit ?? ""],
    ["Variable", ({ variable }) => (variable === null ? "" : code(variable))],
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

/** The reference of all settings in Markdown: a heading and a table for each section. */
export function configurationReference(): string {
  const rows = settingRows();
  const sections = [...new Set(rows.map(({ section }) => section))];
  const texts = sections.map((section) =>
    [`## ${section}`, "", ...table(rows.filter((row) => row.section === section))].join("\n"),
  );
  return `${texts.join("\n\n")}\n`;
}
