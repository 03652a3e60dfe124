import { resolve } from "node:path";
import type { Data } from "../../api/client.ts";
import { parseObject } from "../../body.ts";
import type { Context } from "../define.ts";
import { checkOrder, type OrderBody } from "../order-body.ts";
import { priceOrder, shortfall } from "../price.ts";
import { askToSpend, refuseShort } from "../spend.ts";

export interface PlannedOrder {
  body: OrderBody;
  totalCents: number;
}

/** Checks and prices the order and asks, before anything is uploaded. */
export async function planOrder(ctx: Context, gameId: string, file: string, maxCents: number | undefined): Promise<PlannedOrder> {
  const text = await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "--order");
  const body = (await parseObject(text, file, "--order")) as OrderBody;
  const order = await checkOrder(body);
  const price = await priceOrder(ctx, gameId, body, order);
  refuseShort(shortfall(price, "any"));
  await askToSpend(ctx, `Push, and order ${order.quantity} × ${order.durationMinutes} min`, price, "any", maxCents);
  return { body, totalCents: price.payWith === "credit" ? price.totalCents : 0 };
}

export const placeOrder = (ctx: Context, gameId: string, { body }: PlannedOrder): Promise<Data<"createPlaytest">> =>
  ctx.api().createPlaytest({ params: { gameId }, body });
