import type { PayoutMethod } from "../../../../src/contract/accounts/payout-methods.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { portal } from "../../../../src/contract/pages/addresses.ts";
import { countries, countryName } from "../../../../src/contract/text/country.ts";
import { plural } from "../../../../src/contract/text/plural.ts";
import { invalid } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { notice, tokens } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { codeField, codeLabel } from "../../sign-in/views.ts";
import { signedInLayout } from "../layout.ts";
import { action, type PageContext, type PortalPage } from "../types.ts";

type Details = NonNullable<Data<"getPayoutDetails">["details"]>;

const done = new Map([
  ["saved", "Your payout details were saved."],
  ["removed", "Your payout details were removed."],
]);

const methods: Record<PayoutMethod, string> = { bank: "Bank transfer", paypal: "PayPal", other: "Something else" };
const isMethod = (text: string | undefined): text is PayoutMethod => text !== undefined && Object.hasOwn(methods, text);

/** `/play/earnings/details`: where the playtester is paid. */
async function payoutDetailsPage(context: PageContext): Promise<PageContent> {
  const { details, holdHours } = (await context.call("getPayoutDetails")).data;
  const factor = (await context.call("getFactor")).data;
  const step = context.query.get("done") ?? "";
  const mailed = step === "saved" && context.site.delivery === "sent" ? " We sent you an email about it." : "";
  const said = done.get(step);
  const body = html`${said && notice(said + mailed)}
${details ? present(details) : html`<p>You have no payout details yet. The operator's payout batches skip you without them.</p>`}
${factor.hasPassword ? forms(context, { details, holdHours, takesCode: factor.enabled }) : noPassword}
<p class="more"><a href="${portal.earnings()}">Back to your earnings</a></p>`;
  return signedInLayout(context, "earnings", { title: "Payout details", body });
}

const noPassword = html`<p>Changing payout details takes a password, and your account has none. <a href="${portal.forgot()}">Set a password</a> first.</p>`;

const present = ({ method, masked, changedAt, usableFrom, ...payee }: Details): Markup =>
  html`<p><strong>${methods[method]}</strong> ${masked} <span class="soft">entered ${time(changedAt)}</span></p>
${onStatements(payee)}${usableFrom !== null && html`<p>These are new and can be used from ${time(usableFrom)}.</p>`}`;

/** Who is paid, as statements name them. */
function onStatements({ holder, address, country, taxNumber }: Pick<Details, "holder" | "address" | "country" | "taxNumber">) {
  const lines = [holder, ...(address ?? "").split("\n"), country && countryName(country), taxNumber && `tax number ${taxNumber}`];
  const said = lines.filter((line) => line?.trim());
  return said.length > 0 && html`<p class="soft">On your statements: ${said.join(", ")}</p>`;
}

/** Chosen by links, so that the page needs no script. */
function choice(chosen: PayoutMethod): Markup {
  const links = Object.entries(methods).map(
    ([method, label]) =>
      html`<li><a href="${portal.payoutDetails()}?method=${method}"${method === chosen && html` aria-current="true"`}>${label}</a></li>`,
  );
  return html`<ul class="choice">${links}</ul>`;
}

interface Known {
  details: Details | null;
  holdHours: number;
  takesCode: boolean;
}

function forms(context: PageContext, { details, holdHours, takesCode }: Known): Markup {
  const { form, query } = context;
  const asked = form.method ?? query.get("method") ?? details?.method;
  const method = isMethod(asked) ? asked : "bank";
  return html`<section><h2>${details ? "Change where you are paid" : "Enter where you want to be paid"}</h2>
${holdHours > 0 && html`<p class="soft">${context.site.delivery === "sent" && "You get an email about every change. "}New payout details wait ${plural(holdHours, "hour")} before you are paid to them, so that somebody who gets into your account cannot redirect your money at once.</p>`}
${choice(method)}
<form method="post" action="${save.at()}">${tokens(context)}<input type="hidden" name="method" value="${method}" autocomplete="off">
${fields[method](context)}
${payeeFields(context, details)}
${proof("set", takesCode)}
<button>Save payout details</button></form></section>
${
  details &&
  html`<section><h2>Remove payout details</h2>
<p class="soft">The operator's payout batches skip you until you enter payout details again.</p>
<form method="post" action="${remove.at()}">${tokens(context)}
${proof("remove", takesCode)}
<button class="danger">Remove payout details</button></form></section>`
}`;
}

const proof = (form: string, takesCode: boolean): Markup =>
  html`<label for="${form}-password">Current password</label>
<input id="${form}-password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
${takesCode && codeField(`${form}-code`, codeLabel)}`;

const fields: Record<PayoutMethod, (context: PageContext) => Markup> = {
  bank: ({ form }) => html`<label for="holder">Account holder</label>
<input id="holder" name="holder" autocomplete="name" maxlength="70" value="${form.holder}" required>
<label for="iban">IBAN <span class="soft">(if your account has one)</span></label>
<input id="iban" name="iban" autocomplete="off" maxlength="42" value="${form.iban}">
<label for="account">Account number <span class="soft">(without an IBAN)</span></label>
<input id="account" name="accountNumber" autocomplete="off" maxlength="34" value="${form.accountNumber}">
<label for="routing">Routing number, sort code or BIC <span class="soft">(without an IBAN)</span></label>
<input id="routing" name="routingNumber" autocomplete="off" maxlength="34" value="${form.routingNumber}">`,
  paypal: ({ form }) => html`<label for="paypal">Email address of your PayPal account</label>
<input id="paypal" name="email" type="email" autocomplete="email" maxlength="254" value="${form.email}" required>`,
  other: ({
    form,
  }) => html`<label for="instructions">How you can be paid <span class="soft">(ask the operator of this server what is possible)</span></label>
<textarea id="instructions" name="instructions" maxlength="500" required>${form.instructions}</textarea>`,
};

/** Saving replaces everything, so what is known is filled in. */
const payeeFields = ({ form }: PageContext, details: Details | null): Markup =>
  html`<label for="address">Postal address <span class="soft">(optional)</span></label>
<textarea id="address" name="address" autocomplete="street-address" maxlength="500" rows="3">${form.address ?? details?.address}</textarea>
<label for="country">Country <span class="soft">(optional)</span></label>
<select id="country" name="country"><option value="">Not said</option>${countries().map(({ code, name }) => html`<option value="${code}"${code === (form.country ?? details?.country) && html` selected`}>${name}</option>`)}</select>
<label for="tax">Tax number <span class="soft">(optional; your statements show only its end)</span></label>
<input id="tax" name="taxNumber" autocomplete="off" maxlength="50" value="${form.taxNumber}">
${details?.taxNumber && html`<p class="soft">The tax number ${details.taxNumber} is stored. Enter it again: saving without it removes it.</p>`}
<p class="soft">Your statements name the address, country and tax number. The operator who pays you also gets them, to report payments to a tax office.</p>`;

const save = action({ at: portal.payoutDetails, takesPassword: true }, async ({ call, form }) => {
  const { method, holder, iban, accountNumber, routingNumber, email, instructions, address, country, taxNumber } = form;
  if (!isMethod(method)) throw invalid("method", "must be chosen");
  const destination = { holder, iban, accountNumber, routingNumber, email, instructions };
  const entered = { ...destination, address, country, taxNumber };
  const filled = Object.fromEntries(Object.entries(entered).filter(([, text]) => text !== undefined && text.trim() !== ""));
  await call("setPayoutDetails", {
    idempotencyKey: form.formKey!,
    body: { method, ...filled, password: form.password ?? "", code: form.code },
  });
  return `${portal.payoutDetails()}?done=saved`;
});

const remove = action({ at: portal.payoutDetails.below("remove"), takesPassword: true }, async ({ call, form }) => {
  await call("removePayoutDetails", {
    idempotencyKey: form.formKey!,
    body: { password: form.password ?? "", code: form.code },
  });
  return `${portal.payoutDetails()}?done=removed`;
});

export const payoutDetails: PortalPage = { at: portal.payoutDetails, view: payoutDetailsPage, actions: [save, remove] };
