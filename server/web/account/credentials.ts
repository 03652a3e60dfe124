import { pages } from "../../../src/contract/pages/addresses.ts";
import { type Delivery, noneSent } from "../../mail/delivery.ts";
import { html, type Markup } from "../html.ts";
import { tokens } from "../shared/parts.ts";
import { actionFor, type PageContext } from "../shared/types.ts";
import { codeField, codeLabel, newPasswordField } from "../sign-in/views.ts";
import type { Known, Part, Place } from "./place.ts";

const whenChanged = "The address changes when both links were opened.";
const readThem = html`read both <a href="${pages.sandboxMails()}">here</a>`;
const changeHelp = {
  sent: html`There will be an email with a link to each of the two addresses. ${whenChanged}`,
  saved: html`An email with a link is written for each of the two addresses, but not sent: ask the operator for both links. ${whenChanged}`,
  sandbox: html`An email with a link is written for each of the two addresses, but not sent: ${readThem}. ${whenChanged}`,
};

/** What the page says after a change of the address was asked for. */
export const changeRequested: Record<Delivery, string | Markup> = {
  sent: "Open the links that were sent to both addresses within 24 hours. Then the address is changed.",
  saved: `An email to each of the two addresses was written. ${noneSent} Ask the operator for both links. They work for 24 hours.`,
  sandbox: html`An email to each of the two addresses was written. A sandbox sends none: <a href="${pages.sandboxMails()}">read them here</a>.`,
};

/** Changing the email address. */
export function emailAddress<C extends PageContext>({ to }: Pick<Place<C>, "to">): Part<C> {
  const change = actionFor<C>()({ at: to.account.below("email"), takesPassword: true }, async ({ call, form }) => {
    await call("changeEmail", {
      body: { newEmail: form.newEmail?.trim() ?? "", password: form.emailPassword, code: form.code },
    });
    return `${to.account()}?done=email`;
  });
  return {
    section: (context, { factor }) => html`<section><h2>Change email address</h2>
<p class="soft">${changeHelp[context.site.delivery]}</p>
<form method="post" action="${change.at()}">${tokens(context)}
<label for="new-email">New email address</label>
<input id="new-email" name="newEmail" type="email" autocomplete="off" maxlength="254" value="${context.form.newEmail}" required>
${
  factor.hasPassword
    ? html`<label for="email-password">Current password</label>
<input id="email-password" name="emailPassword" type="password" autocomplete="current-password" maxlength="256" required>`
    : html`<p class="soft">This takes a sign-in of the last 15 minutes.</p>`
}
${factor.enabled && codeField("email-code", codeLabel)}
<button class="quiet">Change email address</button></form></section>`,
    actions: [change],
  };
}

/** Changing the password. */
export function password<C extends PageContext>({ to }: Pick<Place<C>, "to">): Part<C> {
  const change = actionFor<C>()({ at: to.account.below("password"), takesPassword: true }, async ({ call, form }) => {
    await call("changePassword", {
      body: { currentPassword: form.current ?? "", newPassword: form.password ?? "", code: form.code },
    });
    return `${to.signIn()}?done=password`;
  });
  const missing = html`<section><h2>Set a password</h2>
<p>Your account has no password. <a href="${to.forgot()}">Set a password</a> with a link that is sent to your email address.</p></section>`;
  const present = (context: C, { me, factor }: Known) => html`<section><h2>Change password</h2>
<p class="soft">Changing your password signs you out of every browser, including this one.</p>
<form method="post" action="${change.at()}">${tokens(context)}
<input type="email" name="username" value="${me.email}" autocomplete="username" aria-label="Email address" readonly hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" maxlength="256" required>
${newPasswordField("New password")}
${factor.enabled && codeField("password-code", codeLabel)}
<button class="quiet">Change password</button></form>
<p><a href="${to.forgot()}">Forgot your password?</a></p></section>`;
  return {
    section: (context, known) => (known.factor.hasPassword ? present(context, known) : missing),
    actions: [change],
  };
}
