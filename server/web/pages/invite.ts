import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import { shellQuote } from "../../../src/contract/text/shell.ts";
import type { BrowserAccounts, OpenInvitation } from "../../accounts/browser/accounts.ts";
import { setHeaders } from "../../http/reply.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { staleForm } from "../form.ts";
import { html, type PageContent, redirect, sendPage } from "../html.ts";
import { acceptTerms } from "../shared/parts.ts";
import { doorOf, playDoor } from "../sign-in/doors.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { passwordForm } from "./reset-password.ts";

/**
 * `/invite?token=…`: the link in an invitation. It asks for a click before it creates the account, because mail scanners open links and a
 * token works once. The click must come from that page, or another site could sign a browser in to an account of its own. Who joins as a
 * game owner sets a password, because the command needs one.
 */
export function invite(accounts: BrowserAccounts, readForm: ReadForm, site: Site): Page {
  return async (request, response, url, { client }) => {
    if (request.method === "GET" || request.method === "HEAD") {
      const token = url.searchParams.get("token") ?? "";
      const found = await accounts.findInvitation(token);
      if (!found) return sendPage(response, 410, gone);
      const { token: csrf, cookie } = accounts.formToken(request.headers);
      if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
      return sendPage(response, 200, question(site, { token, csrf }, found));
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const { token = "", name = "", csrf = "" } = await readForm(request);
    if (!accounts.isFormToken(request.headers, csrf)) throw staleForm();
    const joined = await accounts.acceptInvitation({ headers: request.headers, client }, token, name);
    if (!joined) {
      // After a double click the link is used already, but the browser has the session of the first click.
      if (await accounts.findSession(request.headers)) return redirect(response, portal.offers());
      return sendPage(response, 410, gone);
    }
    if ("accountOf" in joined) return redirect(response, `${(doorOf(joined.accountOf) ?? playDoor).to.signIn()}?done=account`);
    if ("resetToken" in joined) return sendPage(response, 200, setPassword(site, joined));
    setHeaders(response, { "Set-Cookie": joined.cookie });
    redirect(response, portal.offers());
  };
}

const roles = { playtester: "a playtester", game_owner: "a game owner" } as const;

function question(site: Site, fields: { token: string; csrf: string }, { email, role, name }: OpenInvitation): PageContent {
  return {
    title: `Join ${site.name}`,
    body: html`<p>You are invited as ${roles[role]}. Your account will have the email address <strong>${email}</strong>.</p>
<form method="post" action="${pages.invite()}"><input type="hidden" name="token" value="${fields.token}"><input type="hidden" name="csrf" value="${fields.csrf}">
<label for="name">Name <span class="soft">(optional; visible to ${role === "playtester" ? "game owners" : "playtesters"})</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${name}">
${acceptTerms(site)}
<button class="wide">${role === "playtester" ? "Join and sign in" : "Join"}</button></form>
<p class="soft">If you do not want to join, close this page: then no account is created.</p>`,
  };
}

const setPassword = ({ baseUrl }: Site, { email, resetToken: token }: { email: string; resetToken: string }): PageContent => ({
  title: "Welcome",
  body: html`<p>Your account was created. Set a password within one hour, then sign in to <a href="${studio.signIn()}">Studio</a>, or with the <code>playtest</code> command:</p>
<pre class="wrap"><code>playtest login --base-url ${baseUrl} --email ${shellQuote(email)}</code></pre>
${passwordForm({ token, isNew: false, revoke: false, keys: false })}
<p><a href="${pages.topic("getting-started")}">Getting started</a></p>`,
});

const gone: PageContent = {
  title: "This invitation no longer works",
  body: html`<p>It is invalid, used, revoked or expired. Nothing was changed. If you joined already, sign in to <a href="${portal.signIn()}">the playtester portal</a> or <a href="${studio.signIn()}">Studio</a>. Otherwise ask the operator of this server for another invitation.</p>`,
};
