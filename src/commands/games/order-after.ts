import { resolve } from "node:path";
import type { Data, Input } from "../../api/client.ts";
import { parseObject } from "../../body.ts";
import { tooExpensive } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import type { Context } from "../define.ts";

type Body = NonNullable<Input<"createPlaytest">["body"]>;

export interface PlannedOrder {
  body: Body;
  totalCents: number;
}

/** Prices the order and asks, before anything is uploaded. */
export async function planOrder(ctx: Context, gameId: string, file: string, maxCents: number | undefined): Promise<PlannedOrder> {
  const body = (await parseObject(
    await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "--order"),
    file,
    "--order",
  )) as Body;
  const quote = await ctx.api().quotePlaytest({ body: { ...body, gameId } });
  if (quote.wouldPayWith === "none")
    throw tooExpensive(
      `The order in ${file} costs ${usd(quote.totalCents)}, and ${usd(quote.missingCents)} are missing; nothing was sent.`,
      "Buy credit with `playtest billing credit add`.",
    );
  const cents = quote.wouldPayWith === "credit" ? quote.totalCents : 0;
  const what = `Push, and order ${body.quantity ?? 1} × ${body.durationMinutes ?? 60} min`;
  await ctx.confirmSpend({ what, cents, balanceCents: quote.balanceCents, maxCents });
  return { body, totalCents: cents };
}

export const placeOrder = (ctx: Context, gameId: string, { body }: PlannedOrder): Promise<Data<"createPlaytest">> =>
  ctx.api().createPlaytest({ params: { gameId }, body });
