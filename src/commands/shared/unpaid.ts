import { isWebUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { costOf, type OrderReply } from "../../contract/bulk/ordered.ts";
import { CliError, exitCodes } from "../../errors.ts";
import { waysToPay } from "./spend.ts";

/** The checkout page, if the server gave one that a browser may open. */
export const checkoutOf = (reply: OrderReply) =>
  "checkoutUrl" in reply && reply.checkoutUrl && isWebUrl(reply.checkoutUrl) ? reply.checkoutUrl : undefined;

/** Error to end with for an order that was left unpaid. With `allowPending` it is only a note. */
export async function unpaidFailure(ctx: Context, reply: OrderReply, allowPending: boolean): Promise<CliError | undefined> {
  if (reply.playtest.status !== "pending_payment") return undefined;
  const plain = ctx.api().lacksExtensions();
  const pay = plain ? "Pay on the server's website." : await howToPay(ctx, reply);
  if (!allowPending) return unpaid(reply, plain ? pay : `${pay} An order that stays unpaid expires.`);
  ctx.out.note(`The order is not paid yet. ${pay}`);
  return undefined;
}

/** How an unpaid order is paid on this server. */
async function howToPay(ctx: Context, reply: OrderReply): Promise<string> {
  const { id } = reply.playtest;
  const { methods, cards, sentence } = await waysToPay(ctx, { cents: costOf(reply) ?? 0 });
  const command = `Pay with \`playtest playtests pay ${id} --method ${methods.join("|")}\`.`;
  return cards ? command : `${sentence} Then: \`playtest playtests pay ${id} --method ${methods.join("|")}\`.`;
}

function unpaid(reply: OrderReply, pay: string) {
  const next = checkoutOf(reply) ? "Pay at the address above. An order that stays unpaid expires." : pay;
  const message = `Order ${reply.playtest.id} is not paid yet. Playtesters cannot see it until it is.`;
  return new CliError("PAYMENT_PENDING", exitCodes.payment, message, {
    hint: `${next} If this is expected, pass --allow-pending.`,
  });
}
