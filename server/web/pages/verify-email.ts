import { pages } from "../../../src/contract/pages/addresses.ts";
import type { BrowserAccounts, Registration } from "../../accounts/browser/accounts.ts";
import { browserName } from "../../accounts/browser/agents.ts";
import type { DeadLink } from "../../accounts/browser/links.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import { time } from "../shared/text.ts";
import { nextAtAnyDoor } from "../sign-in/doors.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { deadLinkPage, named, signInLinks } from "./dead-link.ts";

/**
 * `/verify-email?token=…`: the link in the verification email. The page asks for a click before it uses the token, because mail scanners
 * open links and a token works once. The recipient may not be the person who registered, so the page shows from where the account was
 * created and offers to delete it.
 */
export function verifyEmail(accounts: BrowserAccounts, readForm: ReadForm, { site, limits }: VerifyParts): Page {
  const dead = async ({ token, next }: Link): Promise<PageContent> =>
    deadPage(site, (await accounts.links.dead(token, "verify")) ?? { why: "used", role: undefined, isVerified: false }, next);
  return async (request, response, url, { client }) => {
    if (request.method === "GET" || request.method === "HEAD") {
      const next = nextAtAnyDoor(url.searchParams.get("next"));
      if (url.searchParams.has("sent")) return sendPage(response, 200, sentPage(site, next));
      const token = url.searchParams.get("token");
      if (token === null)
        return sendPage(response, 200, named(site, { title: "Verify your email address", body: againForm(next) }));
      const found = await accounts.findUnverified(token);
      if (!found) return sendPage(response, 410, await dead({ token, next }));
      return sendPage(response, 200, named(site, { title: "Verify your email address", body: question({ token, next }, found) }));
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const { token = "", action, email, ...more } = await readForm(request);
    const next = nextAtAnyDoor(more.next);
    if (action === "again") {
      limits.perAddress(request, "password");
      await accounts.links.mailVerification(email ?? "", next);
      return redirect(
        response,
        `${pages.verifyEmail()}?${new URLSearchParams({ sent: "yes", ...(next !== undefined && { next }) })}`,
      );
    }
    const isDeletion = action === "delete";
    const visit = { headers: request.headers, client };
    const found = await accounts.findUnverified(token);
    const ok = await (isDeletion ? accounts.deleteUnverified(visit, token) : accounts.verifyEmail(visit, token));
    // An account that was verified meanwhile has no more to say about it.
    if (!ok || !found) return sendPage(response, ok ? 200 : 410, await dead({ token, next }));
    sendPage(response, 200, named(site, isDeletion ? deleted : verified(found, next)));
  };
}

interface VerifyParts {
  site: Site;
  limits: Pick<PageLimits, "perAddress">;
}

/** What the link in the email says. `next` is the page that the person came for before they registered. */
interface Link {
  token: string;
  next: string | undefined;
}

const kinds = { game_owner: "game owner", playtester: "playtester", admin: "admin" } as const;

const nextField = (next: string | undefined) => next !== undefined && html`<input type="hidden" name="next" value="${next}">`;

const question = ({ token, next }: Link, found: Registration): Markup => {
  const { email, role, created_at: at, created_from: from, created_with: agent } = found;
  const fact = (name: string, value: Markup | string) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
  const button = (action: string, label: string, look: string) =>
    html`<form method="post" action="${pages.verifyEmail()}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="action" value="${action}">${nextField(next)}<button class="${look}">${label}</button></form>`;
  return html`<p>Somebody created a ${kinds[role]} account with your email address. Was it you?</p>
<table class="facts">${fact("Email address", email)}${fact("Created", time(new Date(at).toISOString()))}
${from !== null && fact("From the address", from)}${agent !== null && fact("With", browserName(agent))}</table>
${button("verify", "Yes, verify", "wide")}
${button("delete", "I did not create this: delete it", "quiet wide")}
<p class="soft">After you verify, the password and API keys that were set when the account was created work.</p>`;
};

/** Leads to the door of the account, with its address filled in. */
const verified = ({ role, email }: Registration, next: string | undefined): PageContent => ({
  title: "Email address verified",
  body: html`<p>Your email address is verified. Your password${role !== "playtester" && " and API keys"} work${role === "playtester" && "s"} now.</p>${signInLinks(role, { email, next })}`,
});

const deleted = {
  title: "Account deleted",
  body: html`<p>The account was deleted. Its password and API keys do not work, and you will get no more email about it.</p>`,
};

/** The form for another link. */
const againForm = (next: string | undefined): Markup =>
  html`<h2>Get a new link</h2><form method="post" action="${pages.verifyEmail()}"><input type="hidden" name="action" value="again">${nextField(next)}
<label for="email">Email address of your account</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" required>
<button>Send a new link</button></form>`;

function deadPage(site: Site, link: DeadLink, next: string | undefined): PageContent {
  const { why, role, isVerified } = link;
  const nothing = "Nothing was changed.";
  if (why === "used" && isVerified)
    return deadLinkPage(site, link, {
      used: "Your email address is verified already.",
      validity: "24 hours",
      nothing,
      again: signInLinks(role, { next }),
    });
  return deadLinkPage(site, link, {
    used: "It was used, or the account is gone.",
    validity: "24 hours",
    nothing,
    again: html`${againForm(next)}${isVerified && signInLinks(role, { next })}`,
  });
}

const sentPage = (site: Site, next: string | undefined): PageContent => {
  const said = {
    sent: "If an account with that address waits to be verified, we sent it a new link. It works for 24 hours.",
    saved: `If an account with that address waits to be verified, an email with a new link was written. ${noneSent} Ask the operator for it.`,
    sandbox: html`If an account with that address waits to be verified, an email with a new link was written. A sandbox sends none: <a href="${pages.sandboxMails()}">read it here</a>.`,
  };
  return named(site, {
    title: site.delivery === "sent" ? "Check your email" : "A new link was written",
    body: html`<p>${said[site.delivery]}</p>${signInLinks(undefined, { next })}`,
  });
};
