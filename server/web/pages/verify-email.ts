import type { BrowserAccounts } from "../../accounts/browser-accounts.ts";
import { html, sendPage } from "../html.ts";
import type { Page, ReadForm } from "../types.ts";

/**
 * `/verify-email?token=…`: the link of the verification mail. Opening it asks for one click: mail scanners follow links,
 * and a token works once.
 */
export function verifyEmail(accounts: BrowserAccounts, readForm: ReadForm): Page {
  return async (request, response, url) => {
    if (request.method !== "POST") {
      const token = url.searchParams.get("token") ?? "";
      const form = html`<p>Click the button to confirm that this email address is yours.</p>
<form method="post" action="/verify-email"><input type="hidden" name="token" value="${token}"><button>Verify email address</button></form>`;
      return sendPage(response, 200, { title: "Verify your email address", body: form });
    }
    const { token = "" } = await readForm(request);
    if (await accounts.verifyEmail(token))
      return sendPage(response, 200, {
        title: "Email address verified",
        body: html`<p>Your email address is verified. Your API keys work now.</p><p>Playtesters: <a href="/play/sign-in">sign in</a>.</p>`,
      });
    const expired = html`<p>This link is invalid, used or expired. Get a new one with <code>playtest auth wait-verified --resend</code>. If you already verified your address, sign in.</p>`;
    sendPage(response, 410, { title: "This link no longer works", body: expired });
  };
}
