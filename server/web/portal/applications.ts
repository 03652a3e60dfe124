import { portal } from "../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { button, cover, cursorOf, more, notice, prose } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { applicationBadge } from "./badge.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

const said = new Map([
  ["applied", "Your application was sent to the owner. The decision will be among your notifications."],
  ["withdrawn", "Your application was withdrawn."],
]);

/** `/play/applications`: the applications of a playtester and their results. */
async function applicationsPage(context: PageContext): Promise<PageContent> {
  const { data, meta } = await context.call("listOwnApplications", { query: { cursor: cursorOf(context) } });
  const done = said.get(context.query.get("done") ?? "");
  const cards = data.applications.map(
    (
      one,
    ): Markup => html`<li class="card"><div class="game">${cover({ name: one.gameName, coverPath: one.coverPath })}<div><div class="head"><h2>${one.gameName}</h2>${applicationBadge(one.status)}</div>
<p class="soft">Applied ${time(one.createdAt)}${one.reviewedAt && html` · reviewed ${time(one.reviewedAt)}`}</p>
${one.qualificationsResponse && prose(one.qualificationsResponse)}
${one.mustAccept && html`<p>The agreement of this game was changed. The owner can approve you after you accepted it. <a href="${portal.agreement(one.playtestId)}">Read the agreement<span class="hidden"> of ${one.gameName}</span></a></p>`}
${one.assignedSlotId && html`<p><a href="${portal.slot(one.assignedSlotId)}">View slot<span class="hidden"> of ${one.gameName}</span></a></p>`}
${one.status === "pending" && button(context, withdraw.at(one.id), "Withdraw", "quiet")}</div></div></li>`,
  );
  const none = html`<p>No applications yet. For some <a href="${portal.offers()}">playtests</a> the owner chooses who plays, and you apply.</p>`;
  const body = html`${done && notice(done)}${cards.length > 0 ? html`<ul class="list">${cards}</ul>` : none}${more(portal.applications(), meta.cursor)}`;
  return signedInLayout(context, "applications", { title: "My applications", body });
}

const withdraw = action({ at: portal.applications.below(":id/withdraw") }, async ({ call, id, form }) => {
  await call("withdrawApplication", { params: { id }, idempotencyKey: form.formKey });
  return `${portal.applications()}?done=withdrawn`;
});

export const applications: PortalPage = { at: portal.applications, view: applicationsPage, actions: [withdraw] };
