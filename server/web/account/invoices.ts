import { studio } from "../../../src/contract/pages/addresses.ts";
import { countries } from "../../../src/contract/text/country.ts";
import { html } from "../html.ts";
import { edit } from "../shared/edit.ts";
import { fault, marked, tokens } from "../shared/parts.ts";
import { actionFor, type PageContext } from "../shared/types.ts";
import type { Part } from "./place.ts";

const fields = {
  name: { label: "Legal name", id: "invoice-name" },
  address: { label: "Address", id: "invoice-address" },
  country: { label: "Country", id: "invoice-country" },
  taxNumber: { label: "Tax number", id: "tax-number" },
};

/** A form that was sent without a text removes it. */
const textOf = (given: string | undefined) => given?.trim() || null;

const bodyOf = (form: PageContext["form"]) => ({
  name: textOf(form.invoiceName),
  address: textOf(form.invoiceAddress),
  country: textOf(form.invoiceCountry),
  taxNumber: textOf(form.taxNumber),
});

const edited = edit("invoices", bodyOf);

const save = actionFor<PageContext>()({ at: studio.account.below("invoices"), fields }, async ({ call, form }) => {
  const { details } = (await call("getBillingDetails")).data;
  const body = edited.changes(form, details);
  await call("updateBillingDetails", { idempotencyKey: form.formKey, body });
  return `${studio.account()}?done=invoices#invoices`;
});

/** What stands on the invoices of a game owner as the one who is billed. */
export const invoiceDetails: Part<PageContext> = {
  async section(context) {
    if (!context.site.payments) return false;
    const { details } = (await context.call("getBillingDetails")).data;
    const { form } = context;
    const chosen = form.invoiceCountry ?? details.country;
    return html`<section id="invoices"><h2>On your invoices</h2>
<p class="soft">For your next invoices. Those that were issued stay as they are.</p>
<form method="post" action="${save.at()}">${tokens(context)}${edited.marks(form, details)}
<label for="invoice-name">Legal name <span class="soft">(optional; otherwise the company above)</span></label>
<input id="invoice-name" name="invoiceName" autocomplete="organization" maxlength="200" value="${form.invoiceName ?? details.name}"${marked(context, "invoice-name")}>
${fault(context, "invoice-name")}
<label for="invoice-address">Address <span class="soft">(optional)</span></label>
<textarea id="invoice-address" class="short" name="invoiceAddress" autocomplete="street-address" maxlength="500"${marked(context, "invoice-address")}>${form.invoiceAddress ?? details.address}</textarea>
${fault(context, "invoice-address")}
<label for="invoice-country">Country <span class="soft">(optional)</span></label>
<select id="invoice-country" name="invoiceCountry" autocomplete="country"${marked(context, "invoice-country")}><option value="">Not said</option>${countries().map(({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`)}</select>
${fault(context, "invoice-country")}
<label for="tax-number">Tax number <span class="soft">(optional; such as your VAT identification number)</span></label>
<input id="tax-number" name="taxNumber" autocomplete="off" maxlength="50" value="${form.taxNumber ?? details.taxNumber}"${marked(context, "tax-number")}>
${fault(context, "tax-number")}
<button>Save</button></form></section>`;
  },
  actions: [save],
};
