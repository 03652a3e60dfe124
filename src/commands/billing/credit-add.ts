import { type Context, define } from "../../cli/define.ts";
import { usd } from "../../io/text.ts";
import { checkoutFlags, notPaid, present, waitFor } from "./checkout.ts";

export const creditAdd = define({
  name: "credit add",
  summary: "Buy credit by card at a hosted checkout",
  description:
    "Prints the address of the page to pay at. With --wait it ends when the payment did: 0 paid, 7 not paid, 8 still waiting.",
  operation: ["buyCredit", "getPayment", "completePayment", "getBalance"],
  body: "buyCredit",
  flags: checkoutFlags,
  exits: [7, 8],
  examples: ["playtest billing credit add --amount 50 --open --wait", "playtest billing credit add --amount 50 --sandbox"],
  async run({ body, flags }, ctx) {
    const bought = await ctx.api().buyCredit({ body });
    const id = bought.paymentId;
    if (flags.sandbox) await ctx.api().completePayment({ params: { id }, body: { outcome: "paid" } });
    else if (!flags.wait) {
      await present(ctx, bought.checkoutUrl, flags);
      return ctx.text(bought.checkoutUrl, bought);
    } else {
      ctx.out.note(`Pay here: ${bought.checkoutUrl}`);
      await present(ctx, bought.checkoutUrl, flags);
    }
    return settled(ctx, id, flags);
  },
});

async function settled(ctx: Context, id: string, flags: Parameters<typeof waitFor>[1]) {
  const payment = await waitFor(ctx, flags, "the payment", async () => {
    const { payment: found } = await ctx.api().getPayment({ params: { id } });
    return found.status === "pending" ? undefined : found;
  });
  if (payment.status !== "completed") throw notPaid("The credit", payment.status);
  const { balanceCents } = await ctx.api().getBalance({});
  return ctx.text(`Paid ${usd(payment.amountCents)}. Credit is now ${usd(balanceCents)}.`, { result: { payment, balanceCents } });
}
