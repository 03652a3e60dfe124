import type { IncomingHttpHeaders } from "node:http";
import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { html, type Markup, sendPage } from "../html.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";

function newAccounts({ registration, allowedDomains }: Site) {
  if (registration === "closed") return html`<p>This server takes no new accounts.</p>`;
  if (registration === "invite")
    return html`<p>New accounts are by invitation only: open the link in your invitation, or ask the operator for one.</p>`;
  return allowedDomains.length > 0 && html`<p>New accounts need an email address at ${allowedDomains.join(" or ")}.</p>`;
}

interface Way {
  register: string;
  label: string;
  home: string;
  place: string;
}

/** The way to an account, and the way in for who has one. */
function way({ registration }: Site, { register, label, home, place }: Way): Markup {
  if (registration !== "open") return html`<p><a class="button" href="${home}">${place}</a></p>`;
  return html`<p><a class="button" href="${register}">${label}</a></p><p>You have an account? <a href="${home}">${place}</a></p>`;
}

const playtesters = (
  site: Site,
  { payoutPerHourCents: perHour }: Config["pricing"],
): Markup => html`<section class="side"><h2>You play games</h2>
<p>${site.payments && perHour > 0 ? html`Play games before release, and earn <strong>${usd(perHour)} for an hour</strong> of video in a private playtest, once its owner accepts it.` : "Play games before release, and say what you think of them."}</p>
<ol class="flow"><li>Find a playtest${site.payments && " and see what it pays"}</li><li>Play, and record your screen and your voice</li><li>Upload the video in your browser</li></ol>
${way(site, { register: portal.register(), label: "Become a playtester", home: portal.offers(), place: "Open the playtester portal" })}</section>`;

const owners = (site: Site, { baseCents }: Config["pricing"]): Markup => html`<section class="side"><h2>You make games</h2>
<p>Watch people play your game for the first time, and hear what they think${site.payments && html`: from <strong>${usd(baseCents[30])}</strong> for half an hour of video`}.</p>
<ol class="flow"><li>Create a game and upload a build</li><li>Order videos${site.payments && ", and see the price before"}</li><li>Watch them, note moments, and share clips</li></ol>
${way(site, { register: studio.register(), label: "Create an owner's account", home: studio.inbox(), place: "Open Studio" })}
<details><summary>From the command line</summary><pre class="wrap"><code>${
  site.commandPackage !== null &&
  html`npm install --global ${site.commandPackage}
`
}playtest ${site.registration === "open" ? "auth register" : "login"} --base-url ${site.baseUrl}
playtest games create --name NAME --build-url URL
playtest order</code></pre></details></section>`;

const operators = ({ baseUrl, payments }: Site): Markup => html`<details><summary>For the operator of this server</summary>
<p>Sign in with the administrator's API key to ${payments ? "approve free trials, pay playtesters and verify accounts" : "approve free trials and verify accounts"}:</p>
<pre class="wrap"><code>playtest login --with-key --base-url ${baseUrl} --profile admin
playtest admin --help --profile admin</code></pre>
<p><a href="${pages.topic("server")}">Run a server</a> · <a href="${pages.topic("configuration")}">Configuration</a> · <a href="${pages.topic("backup")}">Backup</a></p></details>`;

/** Whether the page was opened on the machine of the server, under its own name. */
const isOnItself = ({ host = "" }: IncomingHttpHeaders) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);

/** `/`: leads playtesters and game owners to what is for them; who opens it on the machine of the server, also to what operators do. */
export function startPage({ sandbox, pricing }: Pick<Config, "sandbox" | "pricing">, site: Site): Page {
  return async (request, response, url) => {
    if (url.pathname !== "/") throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const body = html`<img class="hero" src="${site.assetAddress("hero.svg")}" alt="" width="640" height="260">
<p class="lead">Playtests of games on video: owners order them, playtesters play${site.payments ? " and are paid for accepted videos" : " and record a video"}.</p>
${sandbox && html`<p class="soft">This server is a sandbox: it moves no real money, and its clock can be moved.</p>`}
${newAccounts(site)}
<div class="sides">${playtesters(site, pricing)}${owners(site, pricing)}</div>
<p><a href="${pages.topic("getting-started")}">Getting started</a> · <a href="${pages.reference()}">API reference</a> · <a href="${pages.docs()}">All documentation</a></p>
${isOnItself(request.headers) && operators(site)}`;
    sendPage(response, 200, { title: site.name, body, wide: true, assets: { style: "start.css" } });
  };
}
