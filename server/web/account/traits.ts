import type { Data } from "../../../src/contract/index.ts";
import { countries } from "../../../src/contract/text/country.ts";
import { html, type Markup } from "../html.ts";
import { devices } from "../shared/devices.ts";
import { fault, marked } from "../shared/parts.ts";
import { ageChoices, agesIn, boxes, devicesIn, languageCodes, languageNames } from "../shared/traits.ts";
import type { FormField, PageContext } from "../shared/types.ts";
import type { Form } from "../types.ts";

/** What a playtester can say about themselves, each with why it is asked. */

type Profile = Data<"getMe">["profile"];

export const traitFields: Readonly<Record<string, FormField>> = {
  country: { label: "Country", id: "country" },
  ageBand: { label: "Age", id: "age" },
  languages: { label: "Languages you speak", id: "languages" },
  devices: { label: "Devices you play on", id: "devices" },
};

const prefix = "device-";

export function traitInputs(context: PageContext, profile: Profile): Markup {
  const { form } = context;
  const isFresh = form.name === undefined;
  const choice = (
    id: "country" | "age",
    name: string,
    options: readonly { value: string; label: string }[],
    before: string | null | undefined,
  ) => {
    const chosen = isFresh ? before : form[name];
    return html`<select id="${id}" name="${name}"${marked(context, id)}><option value="">Not said</option>${options.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}</select>${fault(context, id)}`;
  };
  const all = countries().map(({ code, name }) => ({ value: code, label: name }));
  return html`<fieldset><legend>You as a player</legend>
<p class="soft">All of it is optional. Owners do not see it, but some playtests are only for certain players, and you are offered those only if you fit. Whoever lets you take part in one then knows that you do.</p>
<p id="devices" tabindex="-1"><strong>Devices you play on</strong> <span class="soft">(so that you are shown games that run on them)</span></p>
${boxes(prefix, devices, (value) => (isFresh ? (profile?.devices ?? []).some((one) => one === value) : form[prefix + value] === "yes"))}${fault(context, "devices")}
<label for="languages">Languages you speak <span class="soft">(so that you are shown games that you understand; such as German, English)</span></label>
<input id="languages" name="languages" autocomplete="off" maxlength="500" value="${isFresh ? languageNames(profile?.languages ?? []) : form.languages}"${marked(context, "languages")}>${fault(context, "languages")}
<label for="country">Country <span class="soft">(some games are tested where they will be sold)</span></label>
${choice("country", "country", all, profile?.country)}
<label for="age">Age <span class="soft">(some games are tested by players of the age they are made for)</span></label>
${choice("age", "ageBand", ageChoices, profile?.ageBand)}</fieldset>`;
}

export const traitsIn = (form: Form) => ({
  country: form.country || null,
  ageBand: agesIn({ [form.ageBand ?? ""]: "yes" }, "")[0] ?? null,
  languages: languageCodes(form.languages, "languages"),
  devices: devicesIn(form, prefix),
});
