import { pages, portal } from "../../../src/contract/pages/addresses.ts";
import { html, type PageContent } from "../html.ts";
import { frame } from "../shared/layout.ts";
import { tokens } from "../shared/parts.ts";
import type { PageContext, Section } from "./types.ts";

const sections: [Section, string, string][] = [
  ["offers", portal.offers(), "Playtests"],
  ["slots", portal.slots(), "My slots"],
  ["friends", portal.friends(), "Friends"],
  ["applications", portal.applications(), "Applications"],
  ["messages", portal.messages(), "Messages"],
  ["earnings", portal.earnings(), "Earnings"],
  ["notifications", portal.notifications(), "Notifications"],
];

/** Without payments, only who earned something before sees the page about it. */
const hasEarnings = async ({ site, call }: PageContext): Promise<boolean> =>
  site.payments || (await call("getEarnings", { query: { limit: 1 } })).data.entries.length > 0;

/** The layout around a page for a playtester who is signed in: the navigation and the name of the account. */
export async function signedInLayout(
  context: PageContext,
  section: Section | undefined,
  page: PageContent,
): Promise<PageContent> {
  const { call, session, site } = context;
  const { unreadCount: messages } = (await call("getUnreadCount")).data;
  const { unreadCount: notifications } = (await call("listNotifications", { query: { limit: 1 } })).data;
  const unread: Partial<Record<Section, number>> = { messages, notifications };
  const hidden: Section[] = section === "earnings" || (await hasEarnings(context)) ? [] : ["earnings"];
  if (!site.friends && section !== "friends") hidden.push("friends");
  const links = sections
    .filter(([name]) => !hidden.includes(name))
    .map(([name, path, label]) => ({ path, label, unread: unread[name] ?? 0, isCurrent: name === section }));
  const who = html`<a href="${pages.topic("playtesters")}">Help</a><a href="${portal.account()}"><span class="hidden">Your account: </span>${session.displayName}</a><form method="post" action="${portal.signOut()}">${tokens(context)}<button class="link">Sign out</button></form>`;
  const { style = [], scripts = [] } = page.assets ?? {};
  return {
    wide: true,
    ...page,
    header: frame({ site, home: portal.offers(), links, who }),
    assets: { style: ["portal.css", ...[style].flat()], scripts: ["times.js", ...scripts] },
  };
}
