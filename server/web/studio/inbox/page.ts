import { html, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { notice } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import type { StudioContext } from "../types.ts";

/** `/studio`: what waits for the owner. */
export async function inboxPage(context: StudioContext): Promise<PageContent> {
  const inbox = (await ifOffered(context.call("getInbox")))?.data;
  const waiting = (inbox?.items ?? []).filter(({ count }) => count > 0);
  const body = html`${context.query.get("done") === "verified" && notice("Your email address is verified.")}
${waiting.length > 0 ? html`<ul>${waiting.map(({ kind, count }) => html`<li>${kind}: ${count}</li>`)}</ul>` : html`<p>Nothing waits for you.</p>`}`;
  return studioLayout(context, "inbox", { title: "Inbox", body });
}
