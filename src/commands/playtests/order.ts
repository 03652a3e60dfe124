import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, usage } from "../../errors.ts";
import { ciOutputs, ciSummary } from "../../io/ci.ts";
import { plural, shellQuote } from "../../io/text.ts";
import { contentKey } from "../shared/content-key.ts";
import { checkOrder, keysIn, likeBody, type OrderBody, targeting } from "../shared/order-body.ts";
import { type Method, priceOrder, shortfall } from "../shared/price.ts";
import { askToSpend, refuseShort } from "../shared/spend.ts";
import { checkBuild } from "./build-check.ts";
import { costing, cryptoOutcome, orderOutcome } from "./paid.ts";

export const orderFlags = {
  keysFile: flag.text("Game keys, one a line; - is standard input", { value: "FILE" }),
  fresh: flag.toggle("Only playtesters new to this game"),
  tester: flag.text("Only this past playtester", { value: "ID" }),
  select: flag.choice(["automatic", "manual"], "As --selection-mode"),
  like: flag.text("Start from the settings of this earlier playtest", { value: "ID" }),
};

interface Given {
  keysFile: string | undefined;
  fresh: boolean;
  tester: string | undefined;
  select: "automatic" | "manual" | undefined;
  like: string | undefined;
}

/** The order body from an earlier playtest, the file, the flags and the shorthands; the later wins. */
export async function assembleBody(ctx: Context, body: OrderBody, flags: Given): Promise<OrderBody> {
  const like = flags.like === undefined ? {} : likeBody(await earlier(ctx, flags.like));
  const keys = flags.keysFile === undefined ? undefined : keysIn(await ctx.io.readText(flags.keysFile, "--keys-file"));
  return { ...like, ...body, ...targeting(flags), ...(keys && { keysForTesters: keys }) };
}

const earlier = async (ctx: Context, id: string) => (await ctx.api().getPlaytest({ params: { id: ctx.resolveId(id) } })).playtest;

const proof = (flags: { tx: string | undefined; chain: string | undefined; currency: string | undefined }) => ({
  ...(flags.chain && { "x-payment-chain": flags.chain }),
  ...(flags.currency && { "x-payment-currency": flags.currency }),
  ...(flags.tx && {
    "x-payment": JSON.stringify({ txHash: flags.tx, chain: flags.chain ?? "base", currency: flags.currency ?? "USDC" }),
  }),
});

export const cryptoFlags = {
  chain: flag.text("With x402: chain to pay on (default base)", { value: "CHAIN" }),
  currency: flag.text("With x402: currency to pay in (default USDC)", { value: "CODE" }),
  tx: flag.text("With x402: hash of the transaction that pays", { value: "HASH" }),
};

/** Request headers that say how to pay. */
export function paymentHeaders(method: Method, flags: Parameters<typeof proof>[0]): Record<string, string> {
  if (method === "any") return {};
  return { "x-payment-method": method, ...(method === "x402" && proof(flags)) };
}

/** For the later steps of a CI job, and its page. */
async function printOrdered(ctx: Context, { id, status, quantity, durationMinutes }: Data<"createPlaytest">["playtest"]) {
  await ciOutputs(ctx, { "playtest-id": id, "playtest-status": status });
  await ciSummary(ctx, `- Ordered ${plural(quantity, "slot")} of ${durationMinutes} min: \`${id}\`.`);
}

/** The key that is the same whenever the same is ordered of the same game. */
function keyOf(ctx: Context, gameId: string, body: OrderBody): string {
  if (ctx.flags.idempotencyKey !== undefined) throw usage("--once and --idempotency-key exclude each other.");
  return `order-${contentKey({ gameId, body })}`;
}

const isQuote = (error: unknown): error is CliError => error instanceof CliError && error.extra.payment !== undefined;

export const order = define({
  name: "order",
  summary: "Order playtests of a game",
  description:
    "Prices the order, checks the funds and the build, asks, and orders. Paid from playtest hours if they cover all of it, else from\n" +
    "credit. --pay takes only what it names. Without a terminal --yes or --max-cost is needed.",
  args: { game: arg.game() },
  flags: {
    ...orderFlags,
    pay: flag.choice(["any", "hours", "credit", "card", "x402"], "What to pay with (default any)"),
    maxCost: flag.money("Order only if it costs no more than this"),
    allowPending: flag.toggle("An order left unpaid is a success"),
    checkBuild: flag.toggle("Do not order when the build cannot be reached"),
    once: flag.toggle("Order this once: the same again within a day is the same playtest and costs nothing more"),
    ...cryptoFlags,
  },
  operation: ["createPlaytest", "quotePlaytest"],
  body: "createPlaytest",
  partialBody: true,
  examples: [
    "playtest playtests order --quantity 3",
    "playtest playtests order GAME --duration-minutes 120 --player-count 2 --keys-file keys.txt --max-cost 120",
    "playtest playtests order --pay x402 --chain base --currency USDC --yes",
    'playtest playtests order --select manual --qualifications "Has played a roguelike" --yes',
    "playtest playtests order -f order.yaml --once --pay credit --yes --json",
  ],
  exits: [7, 8],
  async run({ args, flags, body: given }, ctx) {
    const gameId = args.game;
    const method = flags.pay ?? "any";
    const body = await assembleBody(ctx, given, flags);
    const checked = await checkOrder(body);
    const { game } = await ctx.api().getGame({ params: { id: gameId } });
    const price = await priceOrder(ctx, gameId, body, checked);
    const key = flags.once ? { idempotencyKey: keyOf(ctx, gameId, body) } : {};
    // What may have been ordered before has taken its price already: then the server knows, and charges nothing.
    if (!flags.allowPending && !flags.once && ctx.flags.idempotencyKey === undefined)
      refuseShort(shortfall(price, method), ", pay by --pay card, or place it unpaid with --allow-pending");
    await checkBuild(ctx, game.buildUrl, flags.checkBuild);
    await askToSpend(ctx, `Order ${plural(checked.quantity, "slot")} of ${game.name}`, price, method, flags.maxCost);
    const headers = paymentHeaders(method, flags);
    try {
      const request = ctx.api().call("createPlaytest", { params: { gameId }, body, headers, ...key });
      const { data: reply, headers: said } = await costing(price.totalCents, request);
      if (said["idempotency-replayed"] === "true") ctx.out.note("This was ordered before; nothing was charged now.");
      await printOrdered(ctx, reply.playtest);
      return orderOutcome(ctx, reply, flags.allowPending);
    } catch (error) {
      if (!isQuote(error)) throw error;
      const again = `repeat this command with --tx HASH (and the same --idempotency-key), or see \`playtest playtests list ${shellQuote(gameId)}\``;
      return cryptoOutcome(error, again);
    }
  },
});
