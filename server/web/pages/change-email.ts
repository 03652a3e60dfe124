import { pages } from "../../../src/contract/pages/addresses.ts";
import type { BrowserAccounts } from "../../accounts/browser/accounts.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { html, sendPage } from "../html.ts";
import type { Page, ReadForm } from "../types.ts";

const gone = {
  title: "This link no longer works",
  body: html`<p>This link is invalid, used or expired. The email address was not changed. Request the change again.</p>`,
};

/** `/change-email?token=…`: the links of the two mails that confirm a change of an email address. */
export function changeEmail(accounts: BrowserAccounts, readForm: ReadForm): Page {
  return async (request, response, url, { client }) => {
    if (request.method === "GET" || request.method === "HEAD") {
      const token = url.searchParams.get("token") ?? "";
      const found = await accounts.findEmailChange(token);
      if (!found) return sendPage(response, 410, gone);
      const body = html`<p>Change the email address of your playtest account to <strong>${found.email}</strong>?</p>
<form method="post" action="${pages.changeEmail()}"><input type="hidden" name="token" value="${token}"><button>Confirm</button></form>
<p class="soft">If you did not request this, close this page: without your confirmation the address stays as it is.</p>`;
      return sendPage(response, 200, { title: "Change your email address", body });
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const { token = "" } = await readForm(request);
    const confirmed = await accounts.confirmEmailChange({ headers: request.headers, client }, token);
    if (!confirmed) return sendPage(response, 410, gone);
    if (confirmed.done)
      return sendPage(response, 200, {
        title: "Email address changed",
        body: html`<p>The email address of your account is now <strong>${confirmed.email}</strong>. Use it when you sign in.</p>`,
      });
    const body = html`<p>Now open the link in the email to the other address. Until then the address stays as it is.</p>`;
    sendPage(response, 200, { title: "One confirmation is left", body });
  };
}
