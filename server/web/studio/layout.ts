import { pages, studio } from "../../../src/contract/pages/addresses.ts";
import { html, type PageContent } from "../html.ts";
import { frame } from "../shared/layout.ts";
import { tokens } from "../shared/parts.ts";
import { ifAllowed } from "./allowed.ts";
import type { Section, StudioContext } from "./types.ts";

const sections: [Section, string, string][] = [
  ["inbox", studio.inbox(), "Inbox"],
  ["games", studio.games(), "Games"],
  ["messages", studio.messages(), "Messages"],
  ["stats", studio.stats(), "Statistics"],
  ["billing", studio.billing(), "Billing"],
];

/** The search page has a form of its own. */
const searchBox = html`<form class="find" method="get" action="${studio.search()}" role="search"><input name="q" type="search" maxlength="200" required placeholder="Search" aria-label="Search transcripts and notes"></form>`;

/** The layout around a page of Studio: the navigation and the name of the account. */
export async function studioLayout(
  context: StudioContext,
  section: Section | undefined,
  page: PageContent,
): Promise<PageContent> {
  const { call, session, site } = context;
  const messages = (await ifAllowed(call("getUnreadCount")))?.data.unreadCount ?? 0;
  const links = sections.map(([name, path, label]) => ({
    path,
    label,
    unread: name === "messages" ? messages : 0,
    isCurrent: name === section,
  }));
  const { instance, signsOut } = context.account;
  const who = html`${instance === null ? html`<a href="${pages.docs()}">Help</a><a href="${studio.account()}"><span class="hidden">Your account: </span>${session.displayName}</a>` : html`<span>${session.displayName} <span class="soft">at ${instance}</span></span>`}${signsOut && html`<form method="post" action="${studio.signOut()}">${tokens(context)}<button class="link">Sign out</button></form>`}`;
  const { scripts = [] } = page.assets ?? {};
  return {
    wide: true,
    ...page,
    header: frame({
      site,
      home: studio.inbox(),
      links,
      search: section !== "search" && (await context.offers("search")) && searchBox,
      who,
    }),
    assets: { style: ["studio.css", ...[page.assets?.style ?? []].flat()], scripts: ["studio.js", "times.js", ...scripts] },
  };
}
