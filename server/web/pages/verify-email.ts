import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { BrowserAccounts, Registration } from "../../accounts/browser/accounts.ts";
import { browserName } from "../../accounts/browser/agents.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { html, type Markup, sendPage } from "../html.ts";
import { time } from "../shared/text.ts";
import type { Page, ReadForm } from "../types.ts";

/**
 * `/verify-email?token=…`: the link in the verification email. The page asks for a click before it uses the token, because mail scanners
 * open links and a token works once. The recipient may not be the person who registered, so the page shows from where the account was
 * created and offers to delete it.
 */
export function verifyEmail(accounts: BrowserAccounts, readForm: ReadForm): Page {
  return async (request, response, url, { client }) => {
    if (request.method === "GET" || request.method === "HEAD") {
      const token = url.searchParams.get("token") ?? "";
      const found = await accounts.findUnverified(token);
      if (!found) return sendPage(response, 410, gone);
      return sendPage(response, 200, { title: "Verify your email address", body: question(token, found) });
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const { token = "", action } = await readForm(request);
    const isDeletion = action === "delete";
    const visit = { headers: request.headers, client };
    const ok = await (isDeletion ? accounts.deleteUnverified(visit, token) : accounts.verifyEmail(visit, token));
    sendPage(response, ok ? 200 : 410, ok ? (isDeletion ? deleted : verified) : gone);
  };
}

const kinds = { game_owner: "game owner", playtester: "playtester", admin: "admin" } as const;

const question = (token: string, found: Registration): Markup => {
  const { email, role, created_at: at, created_from: from, created_with: agent } = found;
  const fact = (name: string, value: Markup | string) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
  const button = (action: string, label: string, look: string) =>
    html`<form method="post" action="${pages.verifyEmail()}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="action" value="${action}"><button class="${look}">${label}</button></form>`;
  return html`<p>Somebody created a ${kinds[role]} account with your email address. Was it you?</p>
<table class="facts">${fact("Email address", email)}${fact("Created", time(new Date(at).toISOString()))}
${from !== null && fact("From the address", from)}${agent !== null && fact("With", browserName(agent))}</table>
${button("verify", "Yes, verify", "wide")}
${button("delete", "I did not create this: delete it", "quiet wide")}
<p class="soft">After you verify, the password and API keys that were set when the account was created work.</p>`;
};

const verified = {
  title: "Email address verified",
  body: html`<p>Your email address is verified. Your password and API keys work now.</p><p>Playtesters: <a href="${portal.signIn()}">sign in</a>. Game owners: <a href="${studio.signIn()}">sign in to Studio</a>.</p>`,
};

const deleted = {
  title: "Account deleted",
  body: html`<p>The account was deleted. Its password and API keys do not work, and you will get no more email about it.</p>`,
};

const gone = {
  title: "This link no longer works",
  body: html`<p>This link is invalid, used or expired. Nothing was changed. If you already verified your address, sign in. To get a new link, run <code>playtest auth resend-verification</code>.</p>`,
};
