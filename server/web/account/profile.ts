import { html } from "../html.ts";
import { fault, marked } from "../shared/parts.ts";
import type { PageContext } from "../shared/types.ts";
import { zoneOptions } from "../shared/zone.ts";
import type { ProfileForm } from "./place.ts";
import { traitFields, traitInputs, traitsIn } from "./traits.ts";

const nameInput = (
  context: PageContext,
  name: string | undefined,
  seenBy: string,
) => html`<label for="name">Display name <span class="soft">(visible to ${seenBy})</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${context.form.name ?? name}" required${marked(context, "name")}>
${fault(context, "name")}`;

const zoneInput = (
  context: PageContext,
  zone: string | null | undefined,
) => html`<label for="time-zone">Time zone <span class="soft">(optional; times of playtests at a fixed time are told in it)</span></label>
<input id="time-zone" name="timeZone" list="time-zones" autocomplete="off" maxlength="64" placeholder="Europe/Berlin" value="${context.form.timeZone ?? zone}"${marked(context, "time-zone")}>
<datalist id="time-zones">${zoneOptions}</datalist>
${fault(context, "time-zone")}`;

const timeZone = { label: "Time zone", id: "time-zone" };

const displayName = { label: "Display name", id: "name" };

export const playtesterProfile: ProfileForm = {
  fields: {
    displayName,
    gamingExperience: { label: "Gaming experience", id: "experience" },
    timeZone,
    publishedName: { label: "Show my name", id: "show-name" },
    ...traitFields,
  },
  inputs: (context, profile) => html`${nameInput(context, profile?.displayName, "game owners")}
<label for="experience">Gaming experience <span class="soft">(optional; visible to owners when you apply)</span></label>
<textarea id="experience" name="experience" maxlength="2000"${marked(context, "experience")}>${context.form.experience ?? profile?.gamingExperience}</textarea>
${fault(context, "experience")}
${traitInputs(context, profile)}
${zoneInput(context, profile?.timeZone)}
<p><label class="check"><input id="show-name" type="checkbox" name="showName" value="yes"${(context.form.name === undefined ? profile?.publishedName !== "hidden" : context.form.showName === "yes") && html` checked`}> Show my name with my videos of public playtests <span class="soft">(from your next slot on)</span></label></p>${fault(context, "show-name")}`,
  bodyOf: (form) => ({
    displayName: form.name?.trim() ?? "",
    gamingExperience: form.experience?.trim() || null,
    timeZone: form.timeZone?.trim() || null,
    publishedName: form.showName === "yes" ? "shown" : "hidden",
    ...traitsIn(form),
  }),
};

export const ownerProfile: ProfileForm = {
  fields: {
    displayName,
    companyName: { label: "Company", id: "company" },
    websiteUrl: { label: "Website", id: "website" },
    timeZone,
  },
  inputs: (context, profile) => html`${nameInput(context, profile?.displayName, "playtesters")}
<label for="company">Company</label>
<input id="company" name="company" autocomplete="organization" maxlength="200" value="${context.form.company ?? profile?.companyName}" required${marked(context, "company")}>
${fault(context, "company")}
<label for="website">Website <span class="soft">(optional)</span></label>
<input id="website" name="website" type="url" autocomplete="url" maxlength="2048" placeholder="https://" value="${context.form.website ?? profile?.websiteUrl}"${marked(context, "website")}>
${fault(context, "website")}
${zoneInput(context, profile?.timeZone)}`,
  bodyOf: ({ name, company, website, timeZone: zone }) => ({
    displayName: name?.trim() ?? "",
    companyName: company?.trim() ?? "",
    websiteUrl: website?.trim() || null,
    timeZone: zone?.trim() || null,
  }),
};
