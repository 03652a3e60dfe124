import { resolve } from "node:path";
import type { Data } from "../../api/client.ts";
import { OutcomeUnknown } from "../../api/outcome.ts";
import { parseObject } from "../../cli/body.ts";
import type { Context } from "../../cli/define.ts";
import { isEarlierOrder } from "../../contract/bulk/ordered.ts";
import { contentKey } from "../../contract/hash/content-key.ts";
import type { CheckedOrder, OrderBody } from "../../contract/order-check.ts";
import { shellQuote } from "../../contract/text/shell.ts";
import { CliError } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { fixedTime, requireFixedTimes } from "../shared/fixed-time.ts";
import { checkOrder } from "../shared/order-body.ts";
import { maxCostHeader, type Price, priceOrder, shortfall } from "../shared/price.ts";
import { confirmPrice, refuseShort } from "../shared/spend.ts";

/** An order to place after a push. */
export interface OrderAfter {
  gameId: string;
  file: string;
  body: OrderBody;
  order: CheckedOrder;
  maxCents: number | undefined;
  /** With --if-changed: one order per build, however often the command runs. */
  once: boolean;
}

/** Reads and validates the order before anything is sent. */
export async function readOrder(ctx: Context, gameId: string, file: string, options: Pick<OrderAfter, "maxCents" | "once">) {
  const text = await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "--order");
  const body = await withTime(ctx, (await parseObject(text, file, "--order")) as OrderBody);
  return { gameId, file, body, order: await checkOrder(body), ...options } satisfies OrderAfter;
}

/** The order with its fixed time, if it has one, as an instant. */
async function withTime(ctx: Context, body: OrderBody): Promise<OrderBody> {
  if (typeof body.scheduledAt !== "string") return body;
  const scheduledAt = await fixedTime(ctx, body.scheduledAt, "--order: scheduledAt", undefined);
  await requireFixedTimes(ctx, "Nothing was pushed.");
  return { ...body, scheduledAt };
}

/** Prices the order and asks for confirmation before anything is uploaded or ordered. */
export async function confirmOrder(ctx: Context, { gameId, body, order, maxCents }: OrderAfter): Promise<Price> {
  const price = await priceOrder(ctx, gameId, body, order);
  await refuseShort(ctx, shortfall(price, "any"));
  await confirmPrice(
    ctx,
    `Push the build and order ${plural(order.quantity, "slot")} of ${order.durationMinutes} min`,
    price,
    "any",
    maxCents,
  );
  return price;
}

const latestBuild = async (ctx: Context, gameId: string) =>
  (await ctx.api().listBuilds({ params: { id: gameId }, query: { limit: 1 } })).builds[0];

/**
 * Whether playtests were ordered since the current build was pushed: an earlier run may have pushed it and then failed to order. True if
 * the time of the push is unknown, to avoid a duplicate order.
 */
export async function wasOrdered(ctx: Context, gameId: string): Promise<boolean> {
  const build = await latestBuild(ctx, gameId);
  if (!build) return true;
  const { playtests } = await ctx.api().listPlaytests({ params: { gameId }, query: { limit: 1 } });
  return playtests.some(({ createdAt }) => Date.parse(createdAt) >= Date.parse(build.createdAt));
}

// From the id of the build, not its content: pushing an old build again later orders playtests again.
async function keyOf(ctx: Context, { gameId, body }: OrderAfter) {
  const build = await latestBuild(ctx, gameId);
  return build && `push-${contentKey({ build: build.id, body })}`;
}

/** The reply to an order. `placedBefore`: an earlier run placed it, and the reply is the one that it got. */
export interface Placed {
  reply: Data<"createPlaytest">;
  placedBefore: boolean;
}

/** Places the order. An error says that the build was pushed, and how to order. */
export async function placeOrder(ctx: Context, after: OrderAfter): Promise<Placed> {
  const { gameId, file, body, once, maxCents } = after;
  try {
    const idempotencyKey = once ? await keyOf(ctx, after) : undefined;
    const headers = maxCostHeader(maxCents);
    const request = { params: { gameId }, body, headers, ...(idempotencyKey && { idempotencyKey }) };
    const reply = await ctx.api().call("createPlaytest", request);
    return { reply: reply.data, placedBefore: isEarlierOrder(reply) };
  } catch (error) {
    if (!(error instanceof CliError) || error instanceof OutcomeUnknown) throw error;
    const command = `playtest playtests order ${[gameId, ...(file === "-" ? [] : ["-f", file])].map(shellQuote).join(" ")}`;
    const hint = once ? "Run the same command again: it skips the upload and orders." : `To order: ${command}`;
    const message = `The build was pushed, but nothing was ordered: ${error.message}`;
    throw new CliError(error.code, error.exitCode, message, { ...error.extra, hint });
  }
}
