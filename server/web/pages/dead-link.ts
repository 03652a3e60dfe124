import { pages } from "../../../src/contract/pages/addresses.ts";
import type { DeadLink } from "../../accounts/browser/links.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { signedOutLayout } from "../shared/layout.ts";
import { doorOf, leading, nextOf, playDoor, studioDoor } from "../sign-in/doors.ts";
import type { Site } from "../site.ts";

/** Puts the name of the site, which leads home, above a page for somebody who is not signed in. */
export const named = (site: Site, page: PageContent): PageContent => signedOutLayout(site, pages.home(), page);

/** Where somebody signs in: at the door of the account, or at both. `next`: the page that they came for. */
export function signInLinks(role: DeadLink["role"], { email, next }: { email?: string; next?: string | undefined } = {}): Markup {
  const door = role && doorOf(role);
  const fields = new URLSearchParams({ ...(email !== undefined && { email }), ...(next !== undefined && { next }) });
  const query = fields.size > 0 && `?${fields}`;
  if (door)
    return html`<p><a class="button" href="${door.to.signIn()}${query}">Sign in${door.role === "game_owner" ? " to Studio" : ""}</a></p>`;
  const [play, studio] = [playDoor, studioDoor].map((one) => leading(one, one.to.signIn(), nextOf(one, next)));
  return html`<p>Playtesters: <a href="${play}">sign in</a>. Game owners: <a href="${studio}">sign in to Studio</a>.</p>`;
}

interface Says {
  used: string;
  /** How long such links work. */
  validity: string;
  /** What did not happen. */
  nothing: string;
  /** How to get another one. */
  again: Markup;
}

/** The page of a mailed link that does nothing: why, and how to get another one. */
export function deadLinkPage(site: Site, { why }: DeadLink, { used, validity, nothing, again }: Says): PageContent {
  const reasons: Record<DeadLink["why"], string> = {
    used,
    expired: `This link has expired: it worked for ${validity}.`,
    unknown: "This link is not known here. It may be incomplete, or very old: open it again from the email, as a whole.",
  };
  const titles: Record<DeadLink["why"], string> = {
    used: "This link was used already",
    expired: "This link has expired",
    unknown: "This link is not known",
  };
  return named(site, {
    title: titles[why],
    body: html`<p>${reasons[why]} ${nothing}</p>${again}<p class="more"><a href="${pages.home()}">${site.name}</a></p>`,
  });
}
