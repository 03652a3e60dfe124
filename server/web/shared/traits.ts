import {
  type AgeBand,
  ageBandLabels,
  ageBands,
  languageCode,
  languageName,
  languages,
} from "../../../src/contract/accounts/audience-text.ts";
import { type Device, deviceNames } from "../../../src/contract/games.ts";
import { countries, countryName, countryOf } from "../../../src/contract/text/country.ts";
import { invalid } from "../../lib/api-error.ts";
import { html, type Markup } from "../html.ts";
import type { Form } from "../types.ts";

/** Fields of forms for what playtesters say about themselves, and for whom a playtest is for by that. */

interface Known {
  code: string;
  name: string;
}

/** The codes of what a text lists by names or codes, between commas. 422 for a word that is neither. */
function codesIn(text: string | undefined, field: string, known: readonly Known[], codeOf: (word: string) => string | undefined) {
  const words = (text ?? "").split(/[,;\n]+/).flatMap((word) => word.trim() || []);
  return words.map((word) => {
    const named = known.find(({ name }) => name.toLowerCase() === word.toLowerCase());
    const code = named?.code ?? codeOf(word);
    if (code !== undefined) return code;
    const [example] = known;
    throw invalid(field, `has “${word}”, which is no known name or code. Write names such as ${example!.name}, with commas`);
  });
}

export const languageCodes = (text: string | undefined, field: string): string[] =>
  codesIn(text, field, languages(), languageCode);

export const countryCodes = (text: string | undefined, field: string): string[] =>
  codesIn(text, field, countries(), (word) => countryOf(word.toUpperCase()));

export const languageNames = (codes: readonly string[]): string => codes.map((code) => languageName(code) ?? code).join(", ");
export const countryNames = (codes: readonly string[]): string => codes.map(countryName).join(", ");

/** A box for each of several values, under names that begin with `prefix`. */
export const boxes = (
  prefix: string,
  values: readonly { value: string; label: string }[],
  isChecked: (value: string) => boolean,
): Markup =>
  html`${values.map(({ value, label }) => html`<label class="check"><input type="checkbox" name="${prefix}${value}" value="yes"${isChecked(value) && html` checked`}> ${label}</label>`)}`;

const checked = <T extends string>(form: Form, prefix: string, values: readonly T[]): T[] =>
  values.filter((value) => form[prefix + value] === "yes");

export const devicesIn = (form: Form, prefix: string): Device[] => checked(form, prefix, deviceNames);
export const agesIn = (form: Form, prefix: string): AgeBand[] => checked(form, prefix, ageBands);

export const ageChoices = ageBands.map((value) => {
  const label = ageBandLabels[value];
  return { value, label: label.charAt(0).toUpperCase() + label.slice(1) };
});
