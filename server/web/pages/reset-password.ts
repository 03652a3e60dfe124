import type { BrowserAccounts } from "../../accounts/browser-accounts.ts";
import { html, type Markup, sendPage } from "../html.ts";
import type { Page, ReadForm } from "../types.ts";

const [shortest, longest] = [8, 256];
const title = "Set a new password";

/** `/reset-password?token=…`: the link of the password mail. The token is used up only by a password that is taken. */
export function resetPassword(accounts: BrowserAccounts, readForm: ReadForm): Page {
  return async (request, response, url) => {
    const posted = request.method === "POST" ? await readForm(request) : undefined;
    const token = posted?.token ?? url.searchParams.get("token") ?? "";
    // Looked at before the password is hashed: hashing is what a flood of made-up tokens would make us pay for.
    if (!(await accounts.isResetLink(token))) return sendPage(response, 410, gone);
    if (!posted) return sendPage(response, 200, { title, body: form(token) });
    const { password = "" } = posted;
    const length = [...password].length;
    if (length < shortest || length > longest)
      return sendPage(response, 422, {
        title,
        body: form(token, `The password must have ${shortest} to ${longest} characters.`),
      });
    if (!(await accounts.resetPassword(token, password))) return sendPage(response, 410, gone);
    const done = html`<p>Your password was changed and you were signed out of every browser. API keys still work.</p><p>Playtesters: <a href="/play/sign-in">sign in with the new password</a>.</p>`;
    sendPage(response, 200, { title: "Password changed", body: done });
  };
}

const gone = {
  title: "This link no longer works",
  body: html`<p>It is invalid, used or expired. Nothing was changed. Request another email and open its link within one hour.</p>`,
};

const form = (token: string, problem?: string): Markup => html`<form method="post" action="/reset-password">
<input type="hidden" name="token" value="${token}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${shortest}" maxlength="${longest}" required
${problem ? html`aria-invalid="true" aria-describedby="problem"` : ""} autofocus>
${problem ? html`<p class="bad" id="problem">${problem}</p>` : ""}
<button>Set password</button></form>`;
