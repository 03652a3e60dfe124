import { arg, define } from "../define.ts";
import { assembleBody, orderFlags } from "./order.ts";
import { checkOrder } from "./order-body.ts";
import { quoteView } from "./view.ts";

export const quote = define({
  name: "quote",
  summary: "Price an order without placing it",
  args: { game: { ...arg.game(), optional: true } },
  flags: orderFlags,
  operation: "quotePlaytest",
  body: "createPlaytest",
  partialBody: true,
  examples: [
    "playtest playtests quote --quantity 5 --duration-minutes 30",
    "playtest playtests quote GAME -f order.yaml --json=totalCents",
  ],
  async run({ args, flags, body: given }, ctx) {
    const body = await assembleBody(ctx, given, flags);
    await checkOrder(body);
    const gameId = args.game as string | undefined;
    return ctx.item(await ctx.api().quotePlaytest({ body: { ...body, ...(gameId && { gameId }) } }), quoteView);
  },
});
