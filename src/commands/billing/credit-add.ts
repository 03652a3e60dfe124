import { webUrl } from "../../api/url.ts";
import { type Context, define } from "../../cli/define.ts";
import { usd } from "../../io/text.ts";
import { noteBudgets } from "../shared/budgets/left.ts";
import { requireSandbox } from "../shared/sandbox.ts";
import { type CheckoutFlags, checkoutFlags, notPaid, openPage, pollPayment, requireWait } from "./checkout.ts";

export const creditAdd = define({
  name: "credit add",
  summary: "Buy credit by card at a hosted checkout",
  description:
    "Prints the URL of the checkout page. With --wait, waits for the payment and exits with 0 if paid, 7 if not paid, 8 if still pending.",
  operation: ["buyCredit", "getPayment", "completePayment", "getBalance"],
  body: "buyCredit",
  flags: checkoutFlags,
  exits: [7, 8],
  examples: ["playtest billing credit add --amount 50 --open --wait", "playtest billing credit add --amount 50 --sandbox"],
  async run({ body, flags }, ctx) {
    if (!flags.sandbox) requireWait(flags);
    if (flags.sandbox) await requireSandbox(ctx);
    const bought = await ctx.api().buyCredit({ body });
    const id = bought.paymentId;
    noteBudgets(ctx, bought.budgets);
    const page = () => webUrl(bought.checkoutUrl).href;
    if (flags.sandbox) await ctx.api().completePayment({ params: { id }, body: { outcome: "paid" } });
    else if (!flags.wait) {
      await openPage(ctx, page(), flags);
      return ctx.text(page(), bought);
    } else {
      ctx.out.note(`Pay here: ${page()}`);
      await openPage(ctx, page(), flags);
    }
    return waitForCredit(ctx, id, flags);
  },
});

async function waitForCredit(ctx: Context, id: string, flags: CheckoutFlags) {
  const payment = await pollPayment(ctx, flags, "payment", id);
  if (payment.status !== "completed") throw notPaid("credit", payment.status);
  const { balanceCents } = await ctx.api().getBalance({});
  return ctx.text(`Paid ${usd(payment.amountCents)}. The balance is now ${usd(balanceCents)}.`, {
    result: { payment, balanceCents },
  });
}
