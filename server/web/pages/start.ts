import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { html, sendPage } from "../html.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";

function newAccounts({ registration, allowedDomains }: Site) {
  if (registration === "closed") return html`<p>This server takes no new accounts.</p>`;
  if (registration === "invite")
    return html`<p>New accounts are by invitation only: open the link in your invitation, or ask the operator for one.</p>`;
  return allowedDomains.length > 0 && html`<p>New accounts need an email address at ${allowedDomains.join(" or ")}.</p>`;
}

/** `/`: leads playtesters, game owners and operators to what is for them. */
export function startPage({ baseUrl, sandbox }: Pick<Config, "baseUrl" | "sandbox">, site: Site): Page {
  return async (request, response, url) => {
    if (url.pathname !== "/") throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const body = html`<p>Playtests of games on video: owners order them, playtesters play${site.payments ? " and are paid for accepted videos" : " and record a video"}.</p>
${sandbox && html`<p class="soft">This server is a sandbox: it moves no real money, and its clock can be moved.</p>`}
${newAccounts(site)}
<h2>For playtesters</h2>
<p>${site.payments ? "Find playtests, record a video, upload it, and see what you earned." : "Find playtests, record a video and upload it."}</p>
<p><a class="button" href="${portal.offers()}">Open the playtester portal</a></p>
<h2>For game owners</h2>
<p>Watch the videos of your playtests, decide on them, and answer your playtesters:</p>
<p><a class="button" href="${studio.inbox()}">Open Studio</a></p>
<p>Register your games and order playtests with the <code>playtest</code> command:</p>
<pre class="wrap"><code>playtest ${site.registration === "open" ? "auth register" : "login"} --base-url ${baseUrl}
playtest games create --name NAME --build-url URL
playtest order</code></pre>
<p><a href="${pages.topic("getting-started")}">Getting started</a> · <a href="${pages.reference()}">API reference</a> · <a href="${pages.docs()}">All documentation</a></p>
<h2>For the operator of this server</h2>
<p>Sign in with the administrator's API key to ${site.payments ? "approve free trials, pay playtesters and verify accounts" : "approve free trials and verify accounts"}:</p>
<pre class="wrap"><code>playtest login --with-key --base-url ${baseUrl} --profile admin
playtest admin --help --profile admin</code></pre>
<p><a href="${pages.topic("server")}">Run a server</a> · <a href="${pages.topic("configuration")}">Configuration</a> · <a href="${pages.topic("backup")}">Backup</a></p>`;
    sendPage(response, 200, { title: site.name, body });
  };
}
