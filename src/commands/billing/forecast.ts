import { resolve } from "node:path";
import type { Data, Input } from "../../api/client.ts";
import { arg, type Context, col, define, flag, viewOf } from "../../cli/define.ts";
import type { CheckedOrder } from "../../contract/order-check.ts";
import { notFound, usage } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import { earlierCost, fromEarlierOrder, minutesOf, unknownPrice } from "../shared/earlier-price.ts";
import { assembleBody, type OrderFlags, orderFlags } from "../shared/order-flags.ts";
import { type Mix, mixes, type PricedOrder } from "./mix.ts";

type Order = NonNullable<Input<"quotePlaytest">["body"]>;

const view = viewOf<Mix>([
  col("plan", ({ plan }) => plan ?? "none"),
  "price:planCents",
  col("on hours", ({ byHours }) => (byHours as string[]).length),
  "min used:minutesUsed",
  "min left:minutesLeft",
  "credit:creditCents",
  "total:totalCents",
]);

export const forecast = define({
  name: "forecast",
  summary: "Find the cheapest way to pay for a set of orders",
  description:
    "Compares hours, credit and the subscription plans that you can buy. Reads a JSON or YAML list of order bodies from a file, or uses the order that the flags\n" +
    "describe, --orders times. The server prices each order; nothing is ordered. The cheapest way is listed first.",
  operation: ["quotePlaytest", "listPlans", "getBalance", "getSubscription"],
  risk: "read",
  body: "quotePlaytest",
  partialBody: true,
  args: { file: arg.optional("File with a list of orders; - reads standard input") },
  flags: { ...orderFlags, orders: flag.integer("Number of orders (default 1)", { min: 1, max: 1000 }) },
  examples: [
    "playtest billing forecast --quantity 5 --duration-minutes 60 --orders 4",
    "playtest billing forecast orders.yaml --json",
  ],
  async run({ args, body, flags }, ctx) {
    if (args.file !== undefined && [body, flags].some(isAnyGiven))
      throw usage("A file of orders and flags that describe one cannot be used together. Nothing was priced.");
    const orders = args.file === undefined ? await repeated(ctx, body, flags) : await readOrders(ctx, args.file);
    const priced = await price(ctx, orders);
    const [{ plans, configured }, { balanceCents, playtestMinutes }, { subscription }] = await Promise.all([
      ctx.api().listPlans({}),
      ctx.api().getBalance({}),
      ctx.api().getSubscription({}),
    ]);
    const offers = configured ? plans.filter(({ key }) => key !== runningPlan(subscription)) : [];
    const ways = mixes(priced, playtestMinutes, offers);
    ctx.out.note(advice(ways[0]!, priced, balanceCents));
    return ctx.rows("ways", ways, view);
  },
});

/** Whether any flag is given: those of lists are empty lists otherwise. */
const isAnyGiven = (flags: object) =>
  Object.values(flags).some((value) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false));

async function repeated(ctx: Context, body: Order, flags: OrderFlags & { orders: number | undefined }): Promise<Order[]> {
  const order = await assembleBody(ctx, body, flags);
  return Array.from({ length: flags.orders ?? 1 }, () => order);
}

/** A plan that runs cannot be bought again. */
const runningPlan = (subscription: Data<"getSubscription">["subscription"]) =>
  subscription?.status === "active" || subscription?.status === "past_due" ? subscription.planKey : undefined;

function advice(
  { plan, planCents, byHours, creditCents, totalCents }: Mix,
  orders: readonly PricedOrder[],
  balanceCents: number,
) {
  const parts = [
    ...(plan ? [`buy ${plan} for ${usd(planCents)}`] : []),
    ...(byHours.length > 0 ? [`pay ${plural(byHours.length, "order")} of ${orders.length} with hours`] : []),
    ...(creditCents > 0
      ? [
          `pay ${usd(creditCents)} with credit${balanceCents < creditCents ? `, ${usd(creditCents - balanceCents)} more than you have` : ""}`,
        ]
      : []),
  ];
  return `Cheapest, ${usd(totalCents)}: ${parts.length > 0 ? parts.join(", ") : "nothing to pay"}.`;
}

async function readOrders(ctx: Context, file: string): Promise<Order[]> {
  const text = await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "file");
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw usage(`${file} is neither JSON nor YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "object" && one !== null))
    return value as Order[];
  throw usage(
    `${file} does not contain a list of orders.`,
    "Write a list of objects with the fields of an order, such as `- quantity: 3`.",
  );
}

interface Priced {
  totalCents: number;
  playtestMinutesNeeded: number;
  estimated?: boolean;
}

/** The price from the server's quote, or if it has no quotes by an earlier order. */
async function priceOf(ctx: Context, order: Order): Promise<Priced> {
  const quote = await ctx.api().offered("quotePlaytest", { body: order });
  if (quote !== undefined) return quote.data;
  const { orderBody } = await import("../../contract/order-body.ts");
  const { gameId, ...rest } = order;
  const { data: sized, error: fault } = orderBody.safeParse(rest);
  if (fault) throw usage(`Invalid order: ${fault.issues[0]!.path.join(".")} ${fault.issues[0]!.message}.`);
  const cost = await earlierCost(ctx, gameId, sized as CheckedOrder);
  if (cost === undefined) throw notFound(`${unknownPrice} Nothing can be compared.`);
  const totalCents = cost * sized!.quantity;
  return { totalCents, playtestMinutesNeeded: minutesOf(sized as CheckedOrder), estimated: totalCents > 0 };
}

/** The price of each order; identical orders are quoted once. */
async function price(ctx: Context, orders: readonly Order[]): Promise<PricedOrder[]> {
  const quotes = new Map<string, Promise<Priced>>();
  const quoted = orders.map((order) => {
    const key = JSON.stringify(order);
    const quote = quotes.get(key) ?? priceOf(ctx, order);
    quotes.set(key, quote);
    return quote;
  });
  const found = await Promise.all(quoted);
  if (found.some(({ estimated }) => estimated)) ctx.out.note(fromEarlierOrder);
  return found.map(({ totalCents, playtestMinutesNeeded }, i) => ({
    name: `#${i + 1}`,
    cents: totalCents,
    minutes: playtestMinutesNeeded,
  }));
}
