import type { Field } from "../static.ts";
import { Refused } from "./refused.ts";

/** Pure functions that read the values of fields as people write them, in flags and in the cells of a file. They throw a `Refused`. */

export function choiceOf(text: string, choices: readonly string[]): string {
  const found =
    choices.find((choice) => choice === text) ?? choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new Refused(`${JSON.stringify(text)} is not one of ${choices.join(", ")}.`);
  return found;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new Refused(`${JSON.stringify(text)} is not a whole number.`);
  return value;
}

/** The number, if the field allows it. `show` writes a bound in the unit that people use. */
export function inRange(
  { min, max }: Pick<Field, "min" | "max">,
  value: number,
  show: (bound: number) => string = String,
): number {
  if (min !== undefined && value < min) throw new Refused(`must be at least ${show(min)}.`);
  if (max !== undefined && value > max) throw new Refused(`must be at most ${show(max)}.`);
  return value;
}

const codePoints = (text: string) => [...text].length;

function checkText({ minLength = 0, maxLength, format }: Field, text: string): string {
  if (format === "iso3166" && codePoints(text) !== 2) throw new Refused("must be a country code such as DE.");
  if (codePoints(text) < minLength)
    throw new Refused(`must ${minLength === 1 ? "not be empty" : `have at least ${minLength} characters`}.`);
  if (maxLength !== undefined && codePoints(text) > maxLength) throw new Refused(`must be at most ${maxLength} characters.`);
  return text;
}

/** The value that a text means for a field that is a choice, a number or a text; for a list, for one of its values. */
export function fieldValue(field: Field, text: string): string | number {
  if (field.enum && !field.array) {
    const choice = choiceOf(text, field.enum.map(String));
    return field.enum.find((value) => String(value) === choice)!;
  }
  if (field.type === "integer" || field.type === "number") return inRange(field, wholeNumber(text));
  const known = field.enum?.find((value) => String(value).toLowerCase() === text.toLowerCase());
  return known ?? checkText(field, text);
}

/** Formats whose values never contain a comma, with an example of several. */
export const listFormats: Readonly<Record<string, string>> = { bcp47: "en,pt-BR", iso639: "de,en", iso3166: "DE,AT" };

/** Whether a value may list several, between commas. */
export const splits = ({ enum: values, format = "" }: Field): boolean =>
  values !== undefined || format === "uuid" || format in listFormats;
