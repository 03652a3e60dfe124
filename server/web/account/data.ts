import { invalid } from "../../lib/api-error.ts";
import { html } from "../html.ts";
import { tokens } from "../shared/parts.ts";
import { actionFor, type Download, type PageContext } from "../shared/types.ts";
import { codeField, codeLabel } from "../sign-in/views.ts";
import type { Part, Place } from "./place.ts";

/** The file with everything that is kept about the account. */
export function ownData<C extends PageContext>({ to }: Pick<Place<C>, "to">): Part<C> {
  const exported = {
    at: to.account.below("export"),
    async download({ call }: PageContext): Promise<Download> {
      const { data } = await call("exportAccount");
      return { filename: "account.json", contentType: "application/json", body: `${JSON.stringify(data, null, 2)}\n` };
    },
  };
  return {
    section: () => html`<section><h2>Your data</h2>
<p><a href="${exported.at()}" download>Download everything that is kept about you</a> <span class="soft">(JSON)</span></p></section>`,
    files: [exported],
  };
}

/** The end of the account. */
export function deletion<C extends PageContext>({ to, deletion: says }: Pick<Place<C>, "to" | "deletion">): Part<C> {
  const remove = actionFor<C>()({ at: to.account.below("delete"), takesPassword: true }, async ({ call, form }) => {
    const { email } = (await call("getMe")).data;
    if (form.deleteEmail?.trim().toLowerCase() !== email.toLowerCase())
      throw invalid("email", "is not the email address of this account. Nothing was deleted");
    await call("deleteAccount", { body: { password: form.deletePassword || undefined, code: form.code } });
    return `${to.signIn()}?done=deleted`;
  });
  return {
    section: (context, { factor }) => html`<section><h2>Delete your account</h2>
<p class="soft">${says(context.site)} This cannot be undone.</p>
<form method="post" action="${remove.at()}">${tokens(context)}
<label for="delete-email">To confirm, type your email address</label>
<input id="delete-email" name="deleteEmail" type="email" autocomplete="off" maxlength="254" value="${context.form.deleteEmail}" required>
<label for="delete-password">Current password <span class="soft">(not needed within 15 minutes of signing in)</span></label>
<input id="delete-password" name="deletePassword" type="password" autocomplete="current-password" maxlength="256">
${factor.enabled && codeField("delete-code", codeLabel)}
<button class="danger">Delete account</button></form></section>`,
    actions: [remove],
  };
}
