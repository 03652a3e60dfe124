import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { isEarlierOrder } from "../../contract/bulk/ordered.ts";
import { contentKey } from "../../contract/hash/content-key.ts";
import type { OrderBody } from "../../contract/order-check.ts";
import { shellQuote } from "../../contract/text/shell.ts";
import { CliError, usage } from "../../errors.ts";
import { ciOutputs, ciSummary } from "../../io/ci.ts";
import { plural } from "../../io/text.ts";
import { shownTime } from "../shared/fixed-time.ts";
import { checkOrder } from "../shared/order-body.ts";
import { assembleBody, orderFlags } from "../shared/order-flags.ts";
import { compareCost, earlierOrder, type Method, maxCostHeader, priceOrder, refuseMethod, shortfall } from "../shared/price.ts";
import { confirmPrice, refuseShort } from "../shared/spend.ts";
import { checkCrypto, payWithWallet, receiptOf } from "../shared/wallet.ts";
import { checkBuild } from "./build-check.ts";
import { cryptoOutcome, orderOutcome, withCost } from "./paid.ts";

const proof = (flags: Record<"tx" | "chain" | "currency" | "from", string | undefined>) => ({
  ...(flags.from && { "x-payment-from": flags.from }),
  ...(flags.chain && { "x-payment-chain": flags.chain }),
  ...(flags.currency && { "x-payment-currency": flags.currency }),
  ...(flags.tx && {
    "x-payment": JSON.stringify({ txHash: flags.tx, chain: flags.chain ?? "base", currency: flags.currency ?? "USDC" }),
  }),
});

export const cryptoFlags = {
  chain: flag.text("For x402: chain to pay on (default base)", { value: "CHAIN" }),
  currency: flag.text("For x402: currency to pay in (default USDC)", { value: "CODE" }),
  from: flag.text("For x402: address that you will pay from", { value: "ADDRESS" }),
  tx: flag.text("For x402: hash of the payment transaction", { value: "HASH" }),
  walletCommand: flag.text("For x402: command that signs the payment (JSON on standard input and output)", { value: "COMMAND" }),
};

/** Request headers that select the payment method. */
export function paymentHeaders(method: Method, flags: Parameters<typeof proof>[0]): Record<string, string> {
  if (method === "any") return {};
  return { "x-payment-method": method, ...(method === "x402" && proof(flags)) };
}

/** Sets the outputs and the summary of a CI job. */
async function printOrdered(ctx: Context, { playtest }: Data<"createPlaytest">, placedBefore: boolean) {
  const { id, status, quantity, durationMinutes } = playtest;
  await ciOutputs(ctx, { "playtest-id": id, "playtest-status": status });
  const length = durationMinutes ? ` of ${durationMinutes} min` : "";
  await ciSummary(ctx, `- ${placedBefore ? "Already ordered" : "Ordered"} ${plural(quantity, "slot")}${length}: \`${id}\`.`);
}

/** An idempotency key derived from the game and the order, so that the same order always has the same key. */
function keyOf(ctx: Context, gameId: string, body: OrderBody): string {
  if (ctx.flags.idempotencyKey !== undefined) throw usage("--once and --idempotency-key cannot be used together.");
  return `order-${contentKey({ gameId, body })}`;
}

const requestsPayment = (error: unknown): error is CliError => error instanceof CliError && error.extra.payment !== undefined;

export const order = define({
  name: "order",
  summary: "Order playtests of a game",
  description:
    "Shows the price, checks the funds and the build, asks for confirmation, then places the order. It is paid from playtest hours if " +
    "they cover all of it, otherwise from credit; --pay selects one method. Without a terminal, --yes or --max-cost is required.",
  args: { game: arg.game() },
  flags: {
    ...orderFlags,
    pay: flag.choice(["any", "hours", "credit", "card", "x402"], "Payment method (default any)"),
    maxCost: flag.money("Order only if the cost does not exceed this"),
    allowPending: flag.toggle("Succeed even if the order is left unpaid"),
    checkBuild: flag.toggle("Fail if the build cannot be reached"),
    once: flag.toggle("Order only once: the same order within 24 hours returns the same playtest and costs nothing"),
    ...cryptoFlags,
  },
  operation: ["createPlaytest", "quotePlaytest"],
  body: "createPlaytest",
  partialBody: true,
  examples: [
    "playtest playtests order --quantity 3",
    "playtest playtests order GAME --duration-minutes 120 --player-count 2 --keys-file keys.txt --max-cost 120",
    "playtest playtests order --pay x402 --chain base --currency USDC --yes",
    'playtest playtests order --quantity 2 --at "2026-12-05 18:00" --time-zone Europe/Berlin',
    "playtest playtests order --pay x402 --wallet-command 'node wallet.js' --max-cost 20",
    'playtest playtests order --selection-mode manual --qualifications "Has played a roguelike" --yes',
    "playtest playtests order -f order.yaml --once --pay credit --yes --json",
  ],
  exits: [7, 8],
  async run({ args, flags, body: given }, ctx) {
    const gameId = args.game;
    const method = flags.pay ?? "any";
    const body = await assembleBody(ctx, given, flags);
    const checked = await checkOrder(body);
    const { game } = await ctx.api().getGame({ params: { id: gameId } });
    checkCrypto(method, flags, "--pay x402");
    const price = await priceOrder(ctx, gameId, body, checked);
    refuseMethod(method, !price.estimated);
    if (flags.from !== undefined && price.estimated) throw usage("This server does not take --from. Nothing was ordered.");
    const key = flags.once ? { idempotencyKey: keyOf(ctx, gameId, body) } : {};
    // An order that may have been placed before may also have been paid already. The server knows, and charges nothing then.
    if (!flags.allowPending && !flags.once && ctx.flags.idempotencyKey === undefined)
      await refuseShort(ctx, shortfall(price, method), { byCard: true, unpaid: method === "any" && price.balanceCents === 0 });
    await checkBuild(ctx, game.buildUrl, flags.checkBuild);
    const at = body.scheduledAt === undefined ? "" : ` at ${await shownTime(ctx, body.scheduledAt, flags.timeZone)}`;
    if (at !== "") ctx.out.note(`It is played${at}.`);
    await confirmPrice(ctx, `Order ${plural(checked.quantity, "slot")} of ${game.name}${at}`, price, method, flags.maxCost);
    const headers = { ...paymentHeaders(method, flags), ...maxCostHeader(flags.maxCost) };
    // Both requests of a signed payment are one order.
    const oneKey = { idempotencyKey: ctx.flags.idempotencyKey ?? ctx.api().nextKey(), ...key };
    try {
      const send = (more: Record<string, string>, options: { idempotencyKey?: string }) =>
        ctx.api().call("createPlaytest", { params: { gameId }, body, headers: { ...headers, ...more }, ...options });
      const request =
        flags.walletCommand === undefined
          ? send({}, key)
          : payWithWallet(ctx, { command: flags.walletCommand, cents: price.totalCents }, (more) => send(more, oneKey));
      const placed = await withCost(price.totalCents, request);
      const reply = placed.data;
      const placedBefore = isEarlierOrder(placed);
      if (placedBefore) ctx.out.note(earlierOrder);
      compareCost(ctx, reply, price, flags.maxCost);
      await printOrdered(ctx, reply, placedBefore);
      return orderOutcome(ctx, reply, { allowPending: flags.allowPending, receipt: receiptOf(placed) });
    } catch (error) {
      if (!requestsPayment(error)) throw error;
      const list = `playtest playtests list ${shellQuote(gameId)}`;
      return cryptoOutcome(error, `repeat this command with --tx HASH, or check \`${list}\``);
    }
  },
});
