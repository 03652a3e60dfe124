import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { button, tokens } from "../../shared/parts.ts";
import { studioLayout } from "../layout.ts";
import { action, type StudioContext } from "../types.ts";

type Playtest = Data<"getPlaytest">["playtest"];

/** The page between a form and a checkout: a form may not lead to the page of a card processor, but a link may. */
export function continueToCheckout(context: StudioContext, checkoutUrl: string, cents: number): Promise<PageContent> {
  const body = html`<p class="amount">${usd(cents)}</p>
<p>Nothing was charged yet. The next page takes your card.</p>
<p><a class="button" href="${checkoutUrl}">Continue to the payment</a></p>
<p class="more"><a href="${studio.billing()}">See your payments</a></p>`;
  return studioLayout(context, undefined, { title: "Pay by card", body });
}

const pay = (method: "hours" | "credit" | "card") =>
  action({ at: studio.playtest.below(`pay/${method}`) }, async (context) => {
    const { call, id, form } = context;
    const { data } = await call("payPlaytest", { params: { id }, idempotencyKey: form.formKey, body: { method } });
    if ("checkoutUrl" in data && data.checkoutUrl) return continueToCheckout(context, data.checkoutUrl, data.totalCents);
    return `${studio.playtest(id)}?done=paid`;
  });

const [byHours, byCredit, byCard] = [pay("hours"), pay("credit"), pay("card")];

const cancel = action({ at: studio.playtest.below("cancel") }, async ({ call, id, form }) => {
  await call("cancelPlaytest", { params: { id }, idempotencyKey: form.formKey });
  return `${studio.playtest(id)}?done=cancelled`;
});

export const orderActions = [byHours, byCredit, byCard, cancel];

/** How an order that is not paid can be paid. */
export async function payment(context: StudioContext, playtest: Playtest): Promise<Markup | false> {
  const { id, status, quantity, costPerSlotCents } = playtest;
  if (status !== "pending_payment" || !context.site.payments || !(await context.offers("payPlaytest"))) return false;
  const total = usd((costPerSlotCents ?? 0) * quantity);
  return html`<section><h2>Pay ${total}</h2><div class="decide">${button(context, byCredit.at(id), "With credit")}${button(context, byHours.at(id), "With playtest hours", "quiet")}${context.site.cards && button(context, byCard.at(id), "By card", "quiet")}</div></section>`;
}

/** The end of what nobody claimed. */
export async function cancelling(
  context: StudioContext,
  { id, status, slots, costPerSlotCents }: Playtest,
): Promise<Markup | false> {
  if (status !== "pending_payment" && !(status === "active" && slots.open > 0)) return false;
  if (!(await context.offers("cancelPlaytest"))) return false;
  const isPaid = status === "active" && context.site.payments && (costPerSlotCents ?? 0) > 0;
  return html`<details><summary>${status === "active" ? "Cancel the slots that nobody claimed" : "Cancel the order"}</summary>
<p>${isPaid ? "You get their price back. " : ""}This cannot be undone.</p>
<form method="post" action="${cancel.at(id)}">${tokens(context)}<button class="danger">${status === "active" ? "Cancel these slots" : "Cancel the order"}</button></form></details>`;
}
