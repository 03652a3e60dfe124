import { html, type Markup, type PageContent } from "../html.ts";
import type { Site } from "../site.ts";

/** A link of the navigation. */
export interface NavigationLink {
  path: string;
  label: string;
  /** How many unread things are behind it. */
  unread?: number;
  isCurrent: boolean;
}

interface Frame {
  site: Pick<Site, "name" | "hasLogo" | "assetAddress">;
  /** Where the name of the site leads. */
  home: string;
  links: readonly NavigationLink[];
  /** A form that searches, on pages that have a search. */
  search?: Markup | false;
  /** The account and the button that signs out. */
  who: Markup;
}

const count = (unread: number) => unread > 0 && html` <span class="count">${unread}<span class="hidden"> unread</span></span>`;

const brandLink = ({ name, hasLogo, assetAddress }: Frame["site"], home: string) =>
  html`<a class="brand" href="${home}">${hasLogo && html`<img src="${assetAddress("logo")}" alt=""> `}${name}</a>`;

const navigationLink = ({ path, label, unread = 0, isCurrent }: NavigationLink) =>
  html`<li><a href="${path}"${isCurrent && html` aria-current="page"`}>${label}${count(unread)}</a></li>`;

/** The bar above a page for somebody who is signed in: the navigation and the account. */
export const frame = ({ site, home, links, search, who }: Frame): Markup => html`<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div>${brandLink(site, home)}
${search}<div class="who">${who}</div>
<nav aria-label="Main"><ul>${links.map(navigationLink)}</ul></nav></div></header>`;

/** The layout around a page for a visitor who is not signed in. */
export const signedOutLayout = (site: Site, home: string, page: PageContent): PageContent => ({
  ...page,
  assets: { style: "portal.css", ...page.assets },
  header: html`<header class="bar"><div>${brandLink(site, home)}</div></header>`,
});
