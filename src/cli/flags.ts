import { isWebUrl } from "../api/url.ts";
import { requireDuration } from "../config/settings.ts";
import { parseMoment, requireTime, timeForms } from "../config/times.ts";
import type { Operation } from "../contract/index.ts";
import { choiceOf, fieldValue, inRange, listFormats, splits, wholeNumber } from "../contract/input/field-value.ts";
import { Refused } from "../contract/input/refused.ts";
import { centsOf } from "../contract/money/amount.ts";
import { type Field, operations } from "../contract/static.ts";
import { usage } from "../errors.ts";
import { usd } from "../io/text.ts";

/** A flag of a command: its help and how its value is parsed. */
export interface Flag<T> {
  readonly kind: "switch" | "value" | "list";
  readonly summary: string;
  readonly short?: string;
  /** Placeholder for the value in help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly initial?: T;
  /** Body fields that its value becomes, where that is not the field named like it. */
  readonly field?: string | readonly string[];
  /** Accepted, but shown nowhere: a former spelling of another flag. */
  readonly hidden?: boolean;
  /** Throws a usage error that starts with `label`. */
  parse(text: string, label: string): unknown;
}

interface Options {
  short?: string;
  value?: string;
  field?: string | readonly string[];
  hidden?: boolean;
}

const asIs = (text: string) => text;

/** What is wrong with a text, as a usage error that starts with `label`. */
function labeled<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refused ? usage(`${label}: ${error.message}`) : error;
  }
}

/** Parses a whole number in a range. Throws a usage error that starts with `label`. */
export function parseInteger(text: string, label: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  const value = labeled(label, () => wholeNumber(text));
  if (value < min || value > max) throw usage(`${label}: must be ${rangeText(min, max)}, not ${text}.`);
  return value;
}

function rangeText(min: number, max: number) {
  if (max === Number.MAX_SAFE_INTEGER) return `at least ${min}`;
  return min === Number.MIN_SAFE_INTEGER ? `at most ${max}` : `from ${min} to ${max}`;
}

export function parseMoney(text: string, label: string): number {
  const cents = centsOf(text);
  if (cents === undefined) throw usage(`${label}: ${JSON.stringify(text)} is not a valid amount. Examples: 20, 20.00, 2000c.`);
  return cents;
}

/** Builders for the flags of a command. A flag without a default is undefined when it is not given. */
export const flag = {
  toggle: (summary: string, options: Options = {}): Flag<boolean> => ({
    kind: "switch",
    summary,
    initial: false,
    parse: asIs,
    ...options,
  }),
  text: (summary: string, options: Options = {}): Flag<string | undefined> => ({
    kind: "value",
    summary,
    value: "TEXT",
    parse: asIs,
    ...options,
  }),
  integer: (
    summary: string,
    { min, max, ...options }: Options & { min?: number; max?: number } = {},
  ): Flag<number | undefined> => ({
    kind: "value",
    summary: withRange(summary, min, max),
    value: "N",
    parse: (text, label) => parseInteger(text, label, min, max),
    ...options,
  }),
  /** A number of an operation's body, with the range that the contract gives it. */
  field: (operation: Operation, name: string, summary: string): Flag<number | undefined> => {
    const field = operations[operation].body.find((one) => one.name === name)!;
    return fieldFlag({ ...field, description: summary }) as Flag<number | undefined>;
  },
  /** The values of a list of an operation's body, under another name, with the fields that it sets. */
  listOf: (operation: Operation, name: string): Flag<unknown[][]> => {
    const field = operations[operation].body.find((one) => one.name === name)!;
    return { ...fieldFlag(field), field: name, initial: [] } as Flag<unknown[][]>;
  },
  /** Integer cents. */
  money: (summary: string, options: Options = {}): Flag<number | undefined> => ({
    kind: "value",
    summary,
    value: "USD",
    parse: parseMoney,
    ...options,
  }),
  /** Seconds, by default as many as a timer can wait. */
  duration: (
    summary: string,
    { min, max, ...options }: Options & { min?: number; max?: number } = {},
  ): Flag<number | undefined> => ({
    kind: "value",
    summary,
    value: "TIME",
    parse: (text, label) => requireDuration(text, label, { min, max }),
    ...options,
  }),
  /** A time in the past in milliseconds, as a function of the current time, because it may be given as a duration. */
  moment: (summary: string, options: Options = {}): Flag<((now: number) => number) | undefined> => ({
    kind: "value",
    summary: `${summary}: a duration ago, such as 2h, or a time, such as ${timeForms}`,
    value: "TIME",
    parse: parseMoment,
    ...options,
  }),
  choice: <const C extends string>(choices: readonly C[], summary: string, options: Options = {}): Flag<C | undefined> => ({
    kind: "value",
    summary,
    value: choices.join("|"),
    choices,
    parse: (text, label) => labeled(label, () => choiceOf(text, choices)),
    ...options,
  }),
  /** May be repeated. */
  list: (summary: string, options: Options = {}): Flag<string[]> => ({
    kind: "list",
    summary,
    value: "TEXT",
    initial: [],
    parse: asIs,
    ...options,
  }),
};

export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const isTime = ({ format }: Pick<Field, "format">) => format === "date-time";
const isMoney = ({ name }: Pick<Field, "name">) => name.endsWith("Cents");

/** Name of the flag for a body or query field. Fields in cents lose the suffix, because their flags take dollars. */
export const flagName = (field: Pick<Field, "name">) => kebab(field.name.replace(/Cents$/, ""));

/** Validates a string against a field of the contract and returns the value to send. */
export function parseField(field: Field, text: string, label: string): unknown {
  if (isMoney(field)) return labeled(label, () => inRange(field, parseMoney(text, label), usd));
  if (field.type === "object") return parseJsonValue(text, label);
  if (isTime(field)) return new Date(requireTime(text, label)).toISOString();
  const value = labeled(label, () => fieldValue(field, text));
  if (field.format === "uri" && !isWebUrl(text)) throw usage(`${label}: ${JSON.stringify(text)} is not an http or https URL.`);
  return value;
}

function parseJsonValue(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`${label}: not valid JSON.`);
  }
}

/** A bound of a field in the unit that its flag takes. */
const bound = (field: Field, value: number) => (isMoney(field) ? usd(value) : `${value}`);

/** A summary with the range behind it, where both ends are known; inside the parentheses that it may end with. */
function withRange(summary: string, min: number | undefined, max: number | undefined, show: (value: number) => string = String) {
  if (min === undefined || max === undefined) return summary;
  const range = `${show(min)} to ${show(max)})`;
  return summary.endsWith(")") ? `${summary.slice(0, -1)}; ${range}` : `${summary} (${range}`;
}

const placeholder = (field: Field) => {
  if (field.enum) return field.enum.join(field.array ? "," : "|");
  if (isMoney(field)) return "USD";
  if (isTime(field)) return "TIME";
  if (field.format === "uri") return "URL";
  if (field.array && field.format !== undefined && field.format in listFormats) return listFormats[field.format];
  if (field.format === "bcp47") return "LANGUAGE";
  if (field.format === "iso3166") return "COUNTRY";
  return field.type === "integer" || field.type === "number" ? "N" : field.type === "object" ? "JSON" : "TEXT";
};

/** The flag for a body or query field. Array fields are repeatable; their names and ids may also be comma-separated. */
export function fieldFlag(field: Field): Flag<unknown> {
  const text = (field.description ?? field.name).replace(/\.$/, "");
  const described = isTime(field) ? `${text}: a time, such as ${timeForms}` : text;
  const summary = withRange(described, field.min, field.max, (value) => bound(field, value));
  if (field.type === "boolean" && !field.array) return { kind: "switch", summary, parse: asIs };
  const kind = field.array ? "list" : "value";
  const parse = (text: string, label: string) => {
    if (!field.array) return parseField(field, text, label);
    const parts = splits(field) ? text.split(",").map((part) => part.trim()) : [text];
    return parts.map((part) => parseField(field, part, label));
  };
  return { kind, summary, value: placeholder(field), ...(field.enum && { choices: field.enum.map(String) }), parse };
}
