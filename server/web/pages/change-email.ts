import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { BrowserAccounts } from "../../accounts/browser/accounts.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { html, type PageContent, sendPage } from "../html.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { deadLinkPage, named, signInLinks } from "./dead-link.ts";

const dead = async (site: Site, accounts: BrowserAccounts, token: string): Promise<PageContent> => {
  const found = await accounts.links.dead(token, "email-from", "email-to");
  const link = found ?? { why: "used" as const, role: undefined, isVerified: false };
  const account = link.role === "game_owner" ? studio.account() : portal.account();
  return deadLinkPage(site, link, {
    used: "It was opened before, or a newer change took its place.",
    validity: "24 hours",
    nothing:
      link.why === "used"
        ? "If the links of both emails were confirmed, the email address is changed."
        : "The email address was not changed.",
    again: html`<p><a class="button" href="${account}">Ask for the change again</a></p>`,
  });
};

/** `/change-email?token=…`: the links of the two mails that confirm a change of an email address. */
export function changeEmail(accounts: BrowserAccounts, readForm: ReadForm, site: Site): Page {
  return async (request, response, url, { client }) => {
    if (request.method === "GET" || request.method === "HEAD") {
      const token = url.searchParams.get("token") ?? "";
      const found = await accounts.findEmailChange(token);
      if (!found) return sendPage(response, 410, await dead(site, accounts, token));
      const body = html`<p>Change the email address of your account at ${site.name} to <strong>${found.email}</strong>?</p>
<form method="post" action="${pages.changeEmail()}"><input type="hidden" name="token" value="${token}"><button>Confirm</button></form>
<p class="soft">If you did not request this, close this page: without your confirmation the address stays as it is.</p>`;
      return sendPage(response, 200, named(site, { title: "Change your email address", body }));
    }
    if (request.method !== "POST") throw methodNotAllowed(["GET", "POST"], "page");
    const { token = "" } = await readForm(request);
    const confirmed = await accounts.confirmEmailChange({ headers: request.headers, client }, token);
    if (!confirmed) return sendPage(response, 410, await dead(site, accounts, token));
    if (confirmed.done)
      return sendPage(
        response,
        200,
        named(site, {
          title: "Email address changed",
          body: html`<p>The email address of your account is now <strong>${confirmed.email}</strong>. Use it when you sign in.</p>${signInLinks(undefined)}`,
        }),
      );
    const body = html`<p>Now open the link in the email to the other address. Until then the address stays as it is.</p>`;
    sendPage(response, 200, named(site, { title: "One confirmation is left", body }));
  };
}
