import type { BrowserAccounts } from "../../accounts/browser-accounts.ts";
import { html, sendPage } from "../html.ts";
import type { Page, ReadForm } from "../types.ts";

/**
 * `/verify-email?token=…`: the link of the verification mail. Opening it asks for one press: mail scanners follow links,
 * and a token works once.
 */
export function verifyEmail(accounts: BrowserAccounts, readForm: ReadForm): Page {
  return async (request, response, url) => {
    if (request.method !== "POST") {
      const token = url.searchParams.get("token") ?? "";
      const form = html`<p>Press the button to confirm that this e-mail address is yours.</p>
<form method="post" action="/verify-email"><input type="hidden" name="token" value="${token}"><button>Verify the address</button></form>`;
      return sendPage(response, 200, { title: "Verify your e-mail address", body: form });
    }
    const { token = "" } = await readForm(request);
    if (await accounts.verifyEmail(token))
      return sendPage(response, 200, {
        title: "Verified",
        body: html`<p>The address is verified. Your API keys work from now on.</p><p>Playtesters: <a href="/play/sign-in">sign in</a>.</p>`,
      });
    const expired = html`<p>This link is unknown, used or expired. Ask for another with <code>playtest auth wait-verified --resend</code>, or log in to check.</p>`;
    sendPage(response, 410, { title: "This link does not work any more", body: expired });
  };
}
