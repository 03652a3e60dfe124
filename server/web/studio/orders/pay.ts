import type { Data } from "../../../../src/contract/index.ts";
import { bindingSessionMs } from "../../../../src/contract/order-body.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { conflict, invalid } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { button, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { plural } from "../parts.ts";
import { action, type StudioContext } from "../types.ts";
import { enteredTime, timeFields, timeInputs } from "./fixed-time.ts";

type OrderReply = Data<"approveOrder">["order"];
type Playtest = Data<"getPlaytest">["playtest"];
type Slot = Data<"listSlots">["slots"][number];

/**
 * The page between a form and a checkout: a form may not lead to the page of a card processor, but a page may. The browser goes on by
 * itself, and so keeps no page of a form that was sent, to which the way back from the checkout would lead.
 */
export function continueToCheckout(context: StudioContext, checkoutUrl: string, cents: number): Promise<PageContent> {
  const body = html`<p class="amount">${usd(cents)}</p>
<p>Nothing was charged yet. The next page takes your card.</p>
<p><a class="button" href="${checkoutUrl}">Continue to the payment</a></p>
<p class="more"><a href="${studio.billing()}">See your payments</a></p>`;
  return studioLayout(context, undefined, { title: "Pay by card", body, leadsTo: checkoutUrl });
}

/** What follows an order that is not paid yet: its checkout if it has one, otherwise its playtest. Undefined for one that is paid. */
export function nextToPay(context: StudioContext, order: OrderReply): Promise<PageContent> | string | undefined {
  const { id, status } = order.playtest;
  if ("checkoutUrl" in order && order.checkoutUrl) return continueToCheckout(context, order.checkoutUrl, order.totalCents);
  return status === "pending_payment" ? `${studio.playtest(id)}?done=unpaid` : undefined;
}

const pay = (method: "hours" | "credit" | "card") =>
  action({ at: studio.playtest.below(`pay/${method}`) }, async (context) => {
    const { call, id, form } = context;
    const { data } = await call("payPlaytest", { params: { id }, idempotencyKey: form.formKey, body: { method } });
    return nextToPay(context, data) ?? `${studio.playtest(id)}?done=paid`;
  });

const [byHours, byCredit, byCard] = [pay("hours"), pay("credit"), pay("card")];

/** How many slots the page of a playtest shows at a time. */
export const slotsShown = 100;

const cancel = action({ at: studio.playtest.below("cancel") }, async (context) => {
  const { call, id, form } = context;
  const [{ playtest }, { slots }] = await Promise.all([
    call("getPlaytest", { params: { id } }).then((reply) => reply.data),
    call("listSlots", { params: { id }, query: { limit: slotsShown } }).then((reply) => reply.data),
  ]);
  // What is cancelled ends as it was shown, whatever changed since. Where nothing is left, the operation says so, or that this form did it.
  const cancellation = cancellationOf(context, playtest, slots);
  if (cancellation && form.promise !== promiseOf(cancellation))
    throw conflict(
      "Nothing was cancelled: what a cancellation does has changed since this page was opened. Read what it does now.",
    );
  await call("cancelPlaytest", { params: { id }, idempotencyKey: form.formKey });
  return `${studio.playtest(id)}?done=cancelled`;
});

const moveForm = { at: studio.playtest.below("move"), fields: timeFields };

const move = action(moveForm, async (context) => {
  const scheduledAt = await enteredTime(context);
  if (scheduledAt === undefined) throw invalid("scheduledAt", "is required");
  await context.call("updatePlaytest", {
    params: { id: context.id },
    idempotencyKey: context.form.formKey,
    body: { scheduledAt },
  });
  return `${studio.playtest(context.id)}?done=moved`;
});

export const orderActions = [byHours, byCredit, byCard, cancel, move];

/** Whether a playtest is at a fixed time to come. Servers that do not know fixed times say nothing of one. */
const isAhead = ({ now }: StudioContext, { scheduledAt: at, status }: Playtest): boolean =>
  status === "active" && at != null && Date.parse(at) > now;

/** The form that moves a playtest at a fixed time to another. `zone` is that of the owner's profile; null without one. */
export async function moving(context: StudioContext, playtest: Playtest, zone: string | null): Promise<Markup | false> {
  if (!isAhead(context, playtest) || !(await context.offers("rescheduleSlot"))) return false;
  const { id, scheduledAt, slots } = playtest;
  if (Date.parse(scheduledAt!) - context.now < bindingSessionMs)
    return html`<p class="soft">It begins in less than 12 hours, so its time cannot be changed any more.</p>`;
  const holding = slots.reserved + slots.blocked;
  const asked =
    holding > 0
      ? ` ${plural(holding, "playtester")} who hold${holding === 1 ? "s" : ""} a slot ${holding === 1 ? "is" : "are"} asked, with up to 3 days to answer. Whoever declines or does not answer is released without a mark.`
      : "";
  return html`<details${context.form.at !== undefined && html` open`}><summary>Move it to another time</summary>
<p>Open slots move at once.${asked}</p>
<form method="post" action="${move.at(id)}">${tokens(context)}${timeInputs(context, { label: "New date and time", zone, isRequired: true })}
<button>${holding > 0 ? "Propose this time" : "Move to this time"}</button></form></details>`;
}

/** How an order that is not paid can be paid. */
export async function payment(context: StudioContext, playtest: Playtest): Promise<Markup | false> {
  const { id, status, quantity, costPerSlotCents } = playtest;
  if (status !== "pending_payment" || !context.site.payments || !(await context.offers("payPlaytest"))) return false;
  const total = usd((costPerSlotCents ?? 0) * quantity);
  return html`<section><h2>Pay ${total}</h2><div class="decide">${button(context, byCredit.at(id), "With credit")}${button(context, byHours.at(id), "With playtest hours", "quiet")}${context.site.cards && button(context, byCard.at(id), "By card", "quiet")}</div></section>`;
}

/**
 * What is refunded for slots that are cancelled before a fixed time. Each claimed one goes by the time that its playtester agreed to, which is
 * not the playtest's while another is proposed. `shown`: the slots on the page, which need not be all.
 */
function backText(now: number, { reserved }: Playtest["slots"], shown: readonly Slot[]): string {
  const held = shown.filter(({ status }) => status === "reserved");
  const late = held.filter(({ scheduledAt: at }) => at != null && Date.parse(at) - now < bindingSessionMs);
  if (held.length < reserved || (late.length > 0 && late.length < held.length))
    return "You get the price back, but not of slots whose playtesters agreed to a time less than 12 hours from now: they are paid. ";
  return late.length > 0
    ? "You get the price of the slots that nobody claimed back. The playtesters who hold a slot are paid, because it begins in less than 12 hours. "
    : "You get their price back. ";
}

/** What can be cancelled, and what is refunded for it. */
interface Cancellation {
  what: string;
  back: string;
  label: string;
}

const promiseOf = ({ what, back }: Cancellation) => `${what}. ${back}`;

/** The end of what nobody claimed and, before a fixed time, of what was claimed; undefined where that is nothing. `shown`: slots of it. */
export function cancellationOf(context: StudioContext, playtest: Playtest, shown: readonly Slot[]): Cancellation | undefined {
  const { status, slots, costPerSlotCents } = playtest;
  if (status === "pending_payment") return { what: "Cancel the order", back: "", label: "Cancel the order" };
  const ahead = isAhead(context, playtest);
  const ending = slots.open + (ahead ? slots.reserved : 0);
  if (status !== "active" || ending === 0) return undefined;
  const isPaid = context.site.payments && (costPerSlotCents ?? 0) > 0;
  return {
    what: ahead ? "Cancel this playtest, with its claimed slots" : "Cancel the slots that nobody claimed",
    back: !isPaid ? "" : ahead ? backText(context.now, slots, shown) : "You get their price back. ",
    label: "Cancel these slots",
  };
}

/** The form that cancels. It carries what it promised. `shown`: the slots on the page. */
export async function cancelling(context: StudioContext, playtest: Playtest, shown: readonly Slot[]): Promise<Markup | false> {
  const cancellation = cancellationOf(context, playtest, shown);
  if (!cancellation || !(await context.offers("cancelPlaytest"))) return false;
  const { what, back, label } = cancellation;
  return html`<details${context.form.promise !== undefined && html` open`}><summary>${what}</summary>
<p>${back}This cannot be undone.</p>
<form method="post" action="${cancel.at(playtest.id)}">${tokens(context)}<input type="hidden" name="promise" value="${promiseOf(cancellation)}" autocomplete="off"><button class="danger">${label}</button></form></details>`;
}
