import { operator, pages } from "../../../src/contract/pages/addresses.ts";
import { html, type PageContent } from "../html.ts";
import { frame } from "../shared/layout.ts";
import { tokens } from "../shared/parts.ts";
import type { OperatorContext } from "./types.ts";

const sections = [
  ["waiting", operator.waiting(), "What waits"],
  ["playtests", operator.playtests(), "Playtests"],
  ["people", operator.people(), "People"],
] as const;

/** The layout around a page for operators. */
export async function operatorLayout(
  context: OperatorContext,
  section: (typeof sections)[number][0] | undefined,
  page: PageContent,
): Promise<PageContent> {
  const { site, session } = context;
  return {
    wide: true,
    ...page,
    header: frame({
      site,
      home: operator.waiting(),
      links: sections.map(([name, path, label]) => ({ path, label, isCurrent: name === section })),
      who: html`<a href="${pages.topic("server")}">Help</a><span>${session.displayName} <span class="soft">operator</span></span><form method="post" action="${operator.signOut()}">${tokens(context)}<button class="link">Sign out</button></form>`,
    }),
    assets: { style: "studio.css", scripts: ["copy.js", "times.js"], ...page.assets },
  };
}
