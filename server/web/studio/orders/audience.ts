import { audienceText } from "../../../../src/contract/accounts/audience-text.ts";
import { html, type Markup } from "../../html.ts";
import { devices } from "../../shared/devices.ts";
import { fault, marked } from "../../shared/parts.ts";
import { ageChoices, agesIn, boxes, countryCodes, devicesIn, languageCodes } from "../../shared/traits.ts";
import type { FormField } from "../../shared/types.ts";
import type { Form } from "../../types.ts";
import type { StudioContext } from "../types.ts";

/** Whom an order is for by what playtesters say in their profiles. */

export const audienceFields: Readonly<Record<string, FormField>> = {
  targetCountries: { label: "Countries", id: "countries" },
  targetLanguages: { label: "Languages", id: "languages" },
};

const [device, age] = ["device-", "age-"];

/** What was filled in. Lists that are empty are left out, for servers that do not know them. */
export function audienceIn(form: Form) {
  const lists = {
    targetCountries: countryCodes(form.countries, "targetCountries"),
    targetLanguages: languageCodes(form.languages, "targetLanguages"),
    targetDevices: devicesIn(form, device),
    targetAges: agesIn(form, age),
  };
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return Object.fromEntries(given) as Partial<typeof lists>;
}

const isFilled = (form: Form) =>
  [form.countries, form.languages].some((text) => text?.trim()) ||
  Object.keys(form).some((name) => name.startsWith(device) || name.startsWith(age));

export function audienceInputs(context: StudioContext): Markup {
  const { form } = context;
  const isChecked = (prefix: string) => (value: string) => form[prefix + value] === "yes";
  const line = (id: "countries" | "languages", label: string, hint: string) =>
    html`<label for="${id}">${label} <span class="soft">(${hint})</span></label>
<input id="${id}" name="${id}" autocomplete="off" maxlength="500" value="${form[id]}"${marked(context, id)}>${fault(context, id)}`;
  return html`<details${isFilled(form) && html` open`}><summary>Only for certain players</summary>
<p class="soft">By what playtesters say in their profiles. Who did not say it is not offered the playtest, so leave empty what does not matter.</p>
${line("countries", "They are in", "any of these countries, such as Germany, Austria")}
${line("languages", "They speak", "one of these languages, such as German, English")}
<fieldset><legend>They have one of these devices</legend>${boxes(device, devices, isChecked(device))}</fieldset>
<fieldset><legend>Their age is</legend>${boxes(age, ageChoices, isChecked(age))}</fieldset></details>`;
}

/** The flags of the command that order for the same players. */
export function audienceFlags(form: Form): [flag: string, value: string | undefined][] {
  const { targetCountries, targetLanguages, targetDevices, targetAges } = audienceIn(form);
  return [
    ["--target-country", targetCountries?.join(",")],
    ["--target-language", targetLanguages?.join(",")],
    ["--target-device", targetDevices?.join(",")],
    ["--target-age", targetAges?.join(",")],
  ];
}

/** `For players in Germany`, before an order is placed. */
export const audienceOf = (form: Form): Markup | false => {
  const text = audienceText(audienceIn(form));
  return text !== undefined && html`<p>Only for ${text}.</p>`;
};
