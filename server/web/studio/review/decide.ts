import { studio } from "../../../../src/contract/pages/addresses.ts";
import { badRequest } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { fault, marked, prose, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { commandButton } from "../parts.ts";
import { action, type StudioContext } from "../types.ts";
import { commandLine } from "./commands.ts";
import type { Review, Slot } from "./data.ts";

const ratings = [
  ["1", "Bad"],
  ["2", "Poor"],
  ["3", "Fair"],
  ["4", "Good"],
  ["5", "Excellent"],
] as const;

export const testerName = ({ playtester }: Pick<Slot, "playtester">) => playtester?.displayName ?? "the playtester";

type Amount = Pick<Review, "slot" | "payoutCents"> & Partial<Pick<Review, "simulates">>;

const pays = ({ payoutCents }: Amount) => payoutCents !== null && payoutCents > 0;

const isWithdrawn = ({ slot }: Amount) => slot.publicationConsent?.withdrawnAt != null;

/** When accepting pays. A public video is paid when it is published; one that will not be, of a free trial, once an administrator approved it. */
function payday(review: Amount): "at once" | "when the video is published" | "when an administrator has approved the video" {
  if (review.slot.playtest.visibility !== "public") return "at once";
  if (!isWithdrawn(review)) return "when the video is published";
  return review.slot.awaitingAdminApproval ? "when an administrator has approved the video" : "at once";
}

const paysAtOnce = (review: Amount) => pays(review) && payday(review) === "at once";

/** What accepting does with money, in a sentence. */
function payment({ site }: StudioContext, review: Amount): Markup | false {
  const name = testerName(review.slot);
  const when = payday(review);
  const isPretended = review.simulates?.money && " This is a sandbox: no real money is paid.";
  if (pays(review)) return html`<p>${name} is paid <strong>${usd(review.payoutCents ?? 0)}</strong> ${when}.${isPretended}</p>`;
  if (review.payoutCents === null) return html`<p>${name} is paid the payout of this playtest.</p>`;
  return site.payments && html`<p>No payout is due for this playtest.</p>`;
}

const acceptLabel = (review: Amount) => (paysAtOnce(review) ? `Accept and pay ${usd(review.payoutCents ?? 0)}` : "Accept");

const acceptCommand = (id: string, { rating, comment }: StudioContext["form"]) =>
  commandLine(`playtest review accept ${id}`, [
    ["--rating", rating],
    ["--comment", comment?.trim()],
  ]);

const rejectCommand = (id: string, { reason, allowRetry }: StudioContext["form"]) =>
  commandLine(`playtest review reject ${id}`, [
    ["--reason", reason?.trim()],
    ["--retry", allowRetry === "yes"],
  ]);

/** What a rejection without another try costs. False where no playtest costs anything. */
const rejection = ({ site }: StudioContext, review: Amount): string | false =>
  (site.payments || pays(review)) && "Without another try, the playtester is not paid and the price is not refunded.";

/** The forms that decide about a submission. Their script waits some seconds before it sends them; without it, a page asks once more. */
export function decision(context: StudioContext, review: Review): Markup {
  const { slot } = review;
  const { id, form } = context;
  const name = testerName(slot);
  const done = paysAtOnce(review) ? `Accepted. ${name} is paid ${usd(review.payoutCents ?? 0)}.` : "Accepted.";
  const isRejecting = form.reason !== undefined || form.allowRetry !== undefined;
  return html`<section class="decision" id="decide" data-panel aria-labelledby="decide-title"><h2 class="hidden" id="decide-title">Your decision</h2>
<div class="undo note" id="undo" hidden><p><span role="status"></span> <span class="countdown" aria-hidden="true"></span></p><button type="button" class="quiet">Undo <kbd>Esc</kbd></button></div>
<form method="post" action="${accept.at(id)}" id="accept" data-undo="${paysAtOnce(review) ? `Accepting and paying ${name} ${usd(review.payoutCents ?? 0)}` : "Accepting"}" data-done="${done}" data-command="accept">${tokens(context)}
<div class="verdict"><fieldset class="rating"><legend>Rating <span class="soft">(optional)</span></legend>
${ratings.map(([value, label]) => html`<label><input type="radio" name="rating" value="${value}"${form.rating === value && html` checked`}><span>${value}<span class="hidden"> ${label}</span></span></label>`)}<label class="no-rating"><input type="radio" name="rating" value=""${!form.rating && html` checked`}><span>No rating</span></label></fieldset>
<div class="comment"><label for="comment">Comment for the playtester <span class="soft">(optional)</span></label>
<textarea id="comment" name="comment" rows="1" maxlength="1000"${marked(context, "comment")}>${form.comment}</textarea>${fault(context, "comment")}</div></div>
<button>${acceptLabel(review)} <kbd class="hint">A</kbd></button><div class="pays">${payment(context, review)}</div></form>
${commandButton(context, acceptCommand(id, {}))}
<details class="reject"${isRejecting && html` open`}><summary>Reject <kbd class="hint">R</kbd></summary>
<form method="post" action="${reject.at(id)}" id="reject" data-undo="Rejecting" data-done="Rejected." data-command="reject">${tokens(context)}
<label for="reason">Reason, shown to ${name} <span class="soft">(optional)</span></label>
<textarea id="reason" name="reason" class="short" maxlength="5000"${marked(context, "reason")}>${form.reason}</textarea>${fault(context, "reason")}
<label class="check"><input type="checkbox" name="allowRetry" value="yes"${form.allowRetry === "yes" && html` checked`}> Let ${name} try again within 24 hours</label>
<p class="soft">${rejection(context, review)}</p>
<button class="danger">Reject</button></form>
${commandButton(context, rejectCommand(id, {}))}</details></section>`;
}

const kept = ({ form }: StudioContext, names: readonly string[]) =>
  ["csrf", "formKey", ...names].map(
    (name) => html`<input type="hidden" name="${name}" value="${form[name]}" autocomplete="off">`,
  );

async function amountOf({ call, id }: StudioContext): Promise<Amount> {
  const { slot } = (await call("getSlot", { params: { id } })).data;
  const { playtest } = (await call("getPlaytest", { params: { id: slot.requestId } })).data;
  return { slot, payoutCents: playtest.payoutCents ?? null };
}

const back = ({ id }: StudioContext) => html`<p><a href="${studio.slot(id)}#decide">Back, without deciding</a></p>`;

/** What is asked once more before a form of a browser without scripts takes effect. */
async function confirmAccept(context: StudioContext): Promise<PageContent> {
  const amount = await amountOf(context);
  const { form, id } = context;
  const body = html`${payment(context, amount)}
<p>${form.rating ? `Your rating: ${form.rating} of 5.` : "You give no rating."}</p>${form.comment?.trim() && html`<p>Your comment:</p>${prose(form.comment.trim())}`}
<form method="post" action="${accept.at(id)}">${kept(context, ["rating", "comment"])}<input type="hidden" name="confirmed" value="yes"><button>${acceptLabel(amount)}</button></form>
${commandButton(context, acceptCommand(id, form))}${back(context)}`;
  return studioLayout(context, "inbox", { title: `Accept the video of ${testerName(amount.slot)}?`, body });
}

async function confirmReject(context: StudioContext): Promise<PageContent> {
  const amount = await amountOf(context);
  const { form, id } = context;
  const name = testerName(amount.slot);
  const body = html`<p>${form.allowRetry === "yes" ? `${name} can try again within 24 hours.` : rejection(context, amount)}</p>
${form.reason?.trim() ? html`<p>Your reason, which ${name} reads:</p>${prose(form.reason.trim())}` : html`<p>You give no reason.</p>`}
<form method="post" action="${reject.at(id)}">${kept(context, ["reason", "allowRetry"])}<input type="hidden" name="confirmed" value="yes"><button class="danger">Reject</button></form>
${commandButton(context, rejectCommand(id, form))}${back(context)}`;
  return studioLayout(context, "inbox", { title: `Reject the video of ${name}?`, body });
}

const acceptFields = { comment: { label: "Comment", id: "comment" } };

const accept = action({ at: studio.slot.below("accept"), fields: acceptFields }, async (context) => {
  const { call, id, form } = context;
  if (form.confirmed !== "yes") return confirmAccept(context);
  const comment = form.comment?.trim();
  if (form.rating && !/^[1-5]$/.test(form.rating)) throw badRequest("The rating must be from 1 to 5. Nothing was changed.");
  const body = { ...(form.rating && { rating: Number(form.rating) }), ...(comment && { comment }) };
  await call("acceptSlot", { params: { id }, idempotencyKey: form.formKey, body });
  return `${studio.slot(id)}?done=accepted`;
});

const rejectFields = { reason: { label: "Reason", id: "reason" } };

const reject = action({ at: studio.slot.below("reject"), fields: rejectFields }, async (context) => {
  const { call, id, form } = context;
  if (form.confirmed !== "yes") return confirmReject(context);
  const reason = form.reason?.trim();
  const allowRetry = form.allowRetry === "yes";
  await call("rejectSlot", { params: { id }, idempotencyKey: form.formKey, body: { ...(reason && { reason }), allowRetry } });
  return `${studio.slot(id)}?done=${allowRetry ? "retry" : "rejected"}`;
});

export const decisions = [accept, reject];
