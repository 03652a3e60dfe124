import { targetingText } from "../../../../src/contract/accounts/audience-text.ts";
import { budgetText } from "../../../../src/contract/accounts/budget-text.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { button, cursorOf, enteredFor, fault, marked, more, notice, prose, tokens } from "../../shared/parts.ts";
import { time, timeIn, until } from "../../shared/text.ts";
import { zoneFor } from "../../shared/zone.ts";
import { ifAllowed } from "../allowed.ts";
import { everyItem } from "../every-item.ts";
import { studioLayout } from "../layout.ts";
import { nextToPay } from "../orders/pay.ts";
import { approvalBadge, command, plural } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

type Approval = Data<"listOrderApprovals">["approvals"][number];
type Budget = Data<"listBudgets">["budgets"][number];

const said = new Map([
  ["approved", "You approved the order. It was placed."],
  ["declined", "You declined the order. Nothing was ordered or charged."],
]);

/** `/studio/approvals`: the orders of API keys that wait for the owner, and what the keys may spend. */
async function approvalsPage(context: StudioContext): Promise<PageContent> {
  const { call, query } = context;
  const { data, meta } = await call("listOrderApprovals", { query: { limit: 50, cursor: cursorOf(context) } });
  const zone = await zoneFor(
    context,
    data.approvals.map(({ scheduledAt }) => scheduledAt),
  );
  const budgets = (await ifAllowed(call("listBudgets")))?.data.budgets ?? [];
  const names = new Map(budgets.some(({ keyId }) => keyId !== null) ? await keysOf(context) : []);
  const done = said.get(query.get("done") ?? "");
  const list =
    data.approvals.length > 0
      ? html`<ul class="list">${data.approvals.map((one) => card(context, one, zone))}</ul>`
      : html`<p class="calm">No orders wait for you.</p>`;
  const body = html`${done && notice(done)}<div data-live="approvals">${list}${more(studio.approvals(), meta.cursor, "Show more")}</div>
${budgetsPart(context, budgets, names)}`;
  return studioLayout(context, undefined, { title: "Orders that wait for approval", body });
}

/** The names of the API keys by their ids. None where the caller may not list them. */
const keysOf = ({ call }: StudioContext) =>
  everyItem(async (cursor) => {
    const reply = await ifAllowed(call("listApiKeys", { query: { cursor } }));
    return { items: (reply?.data.keys ?? []).map(({ id, name }) => [id, name] as const), meta: reply?.meta ?? {} };
  });

/** `/studio/approvals/ID`: one of them, where its email leads. */
async function approvalPage(context: StudioContext): Promise<PageContent> {
  const { approval } = (await context.call("getOrderApproval", { params: { id: context.id } })).data;
  const zone = await zoneFor(context, [approval.scheduledAt]);
  const done = said.get(context.query.get("done") ?? "");
  const body = html`${done && notice(done)}<p><a href="${studio.approvals()}">All orders that waited</a></p>
<div data-live="approval"><ul class="list">${card(context, approval, zone)}</ul></div>`;
  return studioLayout(context, undefined, { title: `Order of ${approval.gameName}`, body });
}

/** `zone`: that of the reader's profile; null without one. */
function card(context: StudioContext, one: Approval, zone: string | null): Markup {
  const offeredTo = targetingText(one);
  const left = one.status === "pending" ? until(one.expiresAt, context.now) : "";
  return html`<li class="card"><div class="head"><h2><a href="${studio.game(one.gameId)}">${one.gameName}</a></h2>${approvalBadge(one.status)}</div>
<ul class="facts"><li>${usd(one.totalCents)}</li><li>${plural(one.quantity, "slot")} of ${one.durationMinutes} min</li>${one.playerCount > 1 && html`<li>${one.playerCount} players</li>`}<li>${one.visibility}</li>${offeredTo !== undefined && html`<li>offered to ${offeredTo}</li>`}${one.selectionMode === "manual" && html`<li>you choose who plays</li>`}${one.scheduledAt != null && html`<li>played at ${timeIn(one.scheduledAt, zone)}</li>`}${one.ref !== null && html`<li>${one.ref}</li>`}<li>by the API key ${one.keyName}</li><li>${time(one.createdAt)}</li>${left !== "" && html`<li>expires ${left}</li>`}</ul>
${one.notesForTesters && prose(one.notesForTesters)}${one.reason !== null && html`<p>${one.reason}</p>`}
${one.status === "pending" && decision(context, one)}${one.playtestId !== null && html`<p><a href="${studio.playtest(one.playtestId)}">See the playtest<span class="hidden"> of ${one.gameName}</span></a></p>`}</li>`;
}

function decision(context: StudioContext, { id, totalCents, method }: Approval): Markup {
  const field = `reason-${id}`;
  const entered = enteredFor(context, id, "reason");
  const how = method === "any" ? "" : ` by ${method}`;
  return html`<div class="decide">${button(context, approve.at(id), `Approve and order for ${usd(totalCents)}${how}`)}
<details${entered !== undefined && html` open`}><summary>Decline it</summary><form method="post" action="${decline.at(id)}">${tokens(context)}
<label for="${field}">Reason <span class="soft">(optional)</span></label>
<textarea id="${field}" name="reason" maxlength="1000"${marked(context, field)}>${entered}</textarea>${fault(context, field)}
<button class="danger">Decline</button></form></details></div>`;
}

/** `names`: of the API keys that the caller may list, by their ids. */
function budgetsPart(context: StudioContext, budgets: readonly Budget[], names: ReadonlyMap<string, string>): Markup {
  const keyText = (keyId: string) => (names.has(keyId) ? `the API key ${names.get(keyId)}` : "an API key");
  const whose = ({ keyId, gameId }: Budget) =>
    `${keyId === null ? "the account" : keyText(keyId)}${gameId === null ? "" : ", one game"}`;
  const rows = budgets.map((one) => html`<li>${budgetText(one, usd)} <span class="soft">(${whose(one)})</span></li>`);
  return html`<h2>Budgets</h2>${rows.length > 0 ? html`<ul>${rows}</ul>` : html`<p class="calm">No budgets: API keys can spend what the account has.</p>`}
<p>To set one, run:</p>${command(context, "playtest billing budgets set 50/day --key ci")}`;
}

const approve = action({ at: studio.approval.below("approve") }, async (context) => {
  const { call, id, form } = context;
  const { order } = (await call("approveOrder", { params: { id }, idempotencyKey: form.formKey })).data;
  return nextToPay(context, order) ?? `${studio.approval(id)}?done=approved`;
});

const declineForm = {
  at: studio.approval.below("decline"),
  fields: { reason: { label: "The reason", id: (id: string) => `reason-${id}` } },
};

const decline = action(declineForm, async ({ call, id, form }) => {
  const reason = form.reason?.trim();
  await call("declineOrder", { params: { id }, idempotencyKey: form.formKey, body: reason ? { reason } : {} });
  return `${studio.approval(id)}?done=declined`;
});

export const approvals: StudioPage = { at: studio.approvals, view: approvalsPage };
export const approval: StudioPage = { at: studio.approval, view: approvalPage, actions: [approve, decline] };
