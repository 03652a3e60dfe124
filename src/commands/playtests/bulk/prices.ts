import type { Context } from "../../../cli/define.ts";
import { pricesOf, shapeOrder } from "../../../contract/bulk/plan.ts";
import type { Row } from "../../../contract/bulk/rows.ts";
import { shellQuote } from "../../../contract/text/shell.ts";
import { tooExpensive } from "../../../errors.ts";
import { fromEarlierOrder, unknownPrice } from "../../shared/earlier-price.ts";
import { type Price, priceOrder } from "../../shared/price.ts";

/** What a slot of each kind of order costs, and the funds. */
export async function quotes(ctx: Context, rows: readonly Row[]): Promise<Map<string, Price>> {
  const prices = await pricesOf(rows, async (row) => {
    const shape = shapeOrder(row);
    const price = await priceOrder(ctx, row.game, shape, shape);
    if (price.costPerSlotCents === undefined) throw notPriced(row);
    return price;
  });
  if ([...prices.values()].some(({ estimated, totalCents }) => estimated && totalCents !== 0)) ctx.out.note(fromEarlierOrder);
  return prices;
}

/** Hundreds of orders are not placed at a price that nobody has seen. */
const notPriced = ({ line, game, order }: Row) =>
  tooExpensive(
    `Line ${line}: ${unknownPrice} Nothing was ordered.`,
    `To learn the price, place one: playtest playtests order ${shellQuote(game)} --duration-minutes ${order.durationMinutes} --player-count ${order.playerCount}`,
  );
