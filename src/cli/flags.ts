import { isWebUrl } from "../api/url.ts";
import { parseDuration } from "../config/settings.ts";
import { parseMoment, requireTime, timeForms } from "../config/times.ts";
import type { Operation } from "../contract/index.ts";
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

/** Parses a whole number in a range. Throws a usage error that starts with `label`. */
export function parseInteger(text: string, label: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw usage(`${label}: ${JSON.stringify(text)} is not a whole number.`);
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

function parseChoice(text: string, label: string, choices: readonly string[]) {
  const found =
    choices.find((choice) => choice === text) ?? choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw usage(`${label}: ${JSON.stringify(text)} is not one of ${choices.join(", ")}.`);
  return found;
}

function parseSeconds(text: string, label: string) {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw usage(`${label}: ${JSON.stringify(text)} is not a valid duration. Examples: 30s, 5m, 2h, 7d.`);
  return seconds;
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
  /** Seconds. */
  duration: (summary: string, options: Options = {}): Flag<number | undefined> => ({
    kind: "value",
    summary,
    value: "TIME",
    parse: parseSeconds,
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
    parse: (text, label) => parseChoice(text, label, choices),
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

const codePoints = (text: string) => [...text].length;

/** Validates a string against a field of the contract and returns the value to send. */
export function parseField(field: Field, text: string, label: string): unknown {
  if (field.enum && !field.array) {
    const choice = parseChoice(text, label, field.enum.map(String));
    return field.enum.find((value) => String(value) === choice);
  }
  if (isMoney(field)) return inRange(field, parseMoney(text, label), label);
  if (field.type === "integer" || field.type === "number") return inRange(field, parseInteger(text, label), label);
  if (field.type === "object") return parseJsonValue(text, label);
  if (isTime(field)) return new Date(requireTime(text, label)).toISOString();
  const known = field.enum?.find((value) => String(value).toLowerCase() === text.toLowerCase());
  return known ?? checkText(field, text, label);
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

function inRange(field: Field, value: number, label: string) {
  const { min, max } = field;
  if (min !== undefined && value < min) throw usage(`${label}: must be at least ${bound(field, min)}.`);
  if (max !== undefined && value > max) throw usage(`${label}: must be at most ${bound(field, max)}.`);
  return value;
}

/** A summary with the range behind it, where both ends are known; inside the parentheses that it may end with. */
function withRange(summary: string, min: number | undefined, max: number | undefined, show: (value: number) => string = String) {
  if (min === undefined || max === undefined) return summary;
  const range = `${show(min)} to ${show(max)})`;
  return summary.endsWith(")") ? `${summary.slice(0, -1)}; ${range}` : `${summary} (${range}`;
}

function checkText({ minLength = 0, maxLength, format }: Field, text: string, label: string) {
  if (format === "iso3166" && codePoints(text) !== 2) throw usage(`${label}: must be a country code such as DE.`);
  if (codePoints(text) < minLength)
    throw usage(`${label}: must ${minLength === 1 ? "not be empty" : `have at least ${minLength} characters`}.`);
  if (maxLength !== undefined && codePoints(text) > maxLength) throw usage(`${label}: must be at most ${maxLength} characters.`);
  if (format === "uri" && !isWebUrl(text)) throw usage(`${label}: ${JSON.stringify(text)} is not an http or https URL.`);
  return text;
}

const codes: Readonly<Record<string, string>> = { bcp47: "en,pt-BR", iso639: "de,en", iso3166: "DE,AT" };

/** Whether a value may list several, between commas. */
export const splits = ({ enum: values, format = "" }: Field) => values !== undefined || format === "uuid" || format in codes;
const placeholder = (field: Field) => {
  if (field.enum) return field.enum.join(field.array ? "," : "|");
  if (isMoney(field)) return "USD";
  if (isTime(field)) return "TIME";
  if (field.format === "uri") return "URL";
  if (field.array && field.format !== undefined && field.format in codes) return codes[field.format];
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
