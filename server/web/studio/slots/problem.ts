import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { badRequest, conflict } from "../../../lib/api-error.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { fault, marked, notice, prose, tokens } from "../../shared/parts.ts";
import { time, until } from "../../shared/text.ts";
import { reasons } from "../inbox/rows.ts";
import { studioLayout } from "../layout.ts";
import { commands, slotBadge, trail } from "../parts.ts";
import { action, type StudioContext, type StudioPage } from "../types.ts";

type Slot = Data<"getSlot">["slot"];
type Report = NonNullable<Slot["blockedReport"]>;

const said = ({ site }: StudioContext) =>
  new Map([
    ["answered", "Your answer was sent. The playtester has the slot back, with a new deadline."],
    [
      "cancelled",
      site.payments
        ? "The slot was cancelled and what it cost you was returned. The playtester was told and is not paid."
        : "The slot was cancelled. The playtester was told.",
    ],
  ]);

/** What the end of a slot does with money. The price of a slot may be money, playtest hours or nothing. */
const refunded = ({ site }: StudioContext, name: string) =>
  site.payments && `What the slot cost you is returned, and ${name} is not paid.`;

const outcomes: Record<NonNullable<Report["outcome"]>, string> = {
  unblocked: "You answered, and the playtester got the slot back.",
  cancelled: "The slot was cancelled.",
  released: "The playtester gave the slot up.",
  expired: "Nobody answered in time, so the slot was cancelled.",
};

/** `/studio/slots/ID/problem`: what a playtester reported, and the answer. */
async function problemPage(context: StudioContext): Promise<PageContent> {
  const { call, id, query } = context;
  const { slot } = (await call("getSlot", { params: { id } })).data;
  const done = said(context).get(query.get("done") ?? "");
  const report = slot.blockedReport;
  const body = html`${done && notice(done)}${trail(slot.game, slot.requestId)}
${report ? reported(context, slot, report) : html`<p>${slot.status === "blocked" ? "The playtester reported a problem. This server does not say which." : "No problem was reported for this slot."}</p>`}
<p><a href="${studio.slot(id)}">See the slot</a></p>
${slot.status === "blocked" && (await answer(context, slot))}`;
  const title = `Problem with ${slot.game.name}`;
  return studioLayout(context, "inbox", { title, body });
}

const reported = (context: StudioContext, { status, playtester }: Slot, report: Report): Markup =>
  html`<div class="head"><p class="soft">${playtester?.displayName ?? "A playtester"} reported this ${time(report.reportedAt)}</p>${slotBadge(status)}</div>
<h2>${reasons[report.reasonCode]}</h2>${report.notes && prose(report.notes)}
${status === "blocked" && report.answerBy && html`<p>Answer ${until(report.answerBy, context.now) || "now"}. If nobody answers by ${time(report.answerBy)}, the slot is cancelled. ${refunded(context, "the playtester")}</p>`}
${report.outcome && html`<p>${outcomes[report.outcome]}${report.resolvedAt && html` <span class="soft">${time(report.resolvedAt)}</span>`}</p>`}${report.message && html`<h3>What the playtester was told</h3>${prose(report.message)}`}`;

async function answer(context: StudioContext, { id, playtester }: Slot): Promise<Markup> {
  const name = playtester?.displayName ?? "the playtester";
  const [returns, cancels] = await Promise.all([context.offers("unblockSlot"), context.offers("deleteSlot")]);
  return html`${returns && returnForm(context, id, name)}${cancels && cancelForm(context, id, name, returns)}${!(returns && cancels) && elsewhere(context, returns, cancels)}
${returns && commands(context, "From the command line", [["Upload a new build first", "playtest games push ./build"]])}`;
}

/** What a server of this API leaves to its website. */
function elsewhere({ site }: StudioContext, returns: boolean, cancels: boolean): Markup {
  const missing = [!returns && "return the slot to the playtester", !cancels && "cancel it"].filter((one) => one !== false);
  return html`<p>This server does not let Studio ${missing.join(" or ")}. Do that on <a href="${site.baseUrl}" rel="noreferrer">its website</a>.</p>`;
}

const returnForm = (context: StudioContext, id: string, name: string) =>
  html`<section><h2>Return the slot</h2><p>If the game needs a fix, upload the new build first. Then ${name} gets the slot back, with the newest build and a new deadline.</p>
<form method="post" action="${unblock.at(id)}">${tokens(context)}
<label for="message">Your answer <span class="soft">(optional; ${name} sees it)</span></label>
<textarea id="message" name="message" maxlength="2000"${marked(context, "message")}>${context.form.message}</textarea>${fault(context, "message")}
<label for="keys">New game keys <span class="soft">(optional; one per line, one for each player)</span></label>
<textarea id="keys" name="keys" rows="2" class="short" autocomplete="off"${marked(context, "keys")}>${context.form.keys}</textarea>${fault(context, "keys")}
<button>Send the answer</button></form></section>`;

const cancelForm = (context: StudioContext, id: string, name: string, isSecond: boolean) =>
  html`<section><h2>${isSecond ? "Or cancel" : "Cancel"} the slot</h2><p>${refunded(context, name)} This cannot be undone.</p>
<form method="post" action="${cancel.at(id)}">${tokens(context)}
<label class="check"><input type="checkbox" name="sure" value="yes" required> Cancel this slot</label>
<button class="danger">Cancel the slot</button></form></section>`;

const answerFields = { message: { label: "Your answer", id: "message" }, keys: { label: "New game keys", id: "keys" } };

const unblock = action({ at: studio.problem, fields: answerFields }, async ({ call, id, form }) => {
  const message = form.message?.trim();
  const keys = (form.keys ?? "").split(/\s*\n\s*/).filter((key) => key !== "");
  const body = { ...(message && { message }), ...(keys.length > 0 && { keys }) };
  await call("unblockSlot", { params: { id }, idempotencyKey: form.formKey, body });
  return `${studio.problem(id)}?done=answered`;
});

const cancel = action({ at: studio.slot.below("cancel") }, async ({ call, id, form }) => {
  if (form.sure !== "yes") throw badRequest("Confirm that you want to cancel this slot. Nothing was changed.");
  const { slot } = (await call("getSlot", { params: { id } })).data;
  // Its form says what is refunded for a slot with a problem, which another one may not be.
  if (slot.status === "reserved") throw conflict("The playtester has this slot back. Nothing was cancelled.");
  await call("deleteSlot", { params: { id }, idempotencyKey: form.formKey });
  return `${studio.problem(id)}?done=cancelled`;
});

export const problem: StudioPage = { at: studio.problem, view: problemPage, actions: [unblock, cancel] };
