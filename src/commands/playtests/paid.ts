import type { Data } from "../../api/client.ts";
import { isWebUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { detail } from "../../cli/define.ts";
import { CliError, DryRun, exitCodes } from "../../errors.ts";
import type { Outcome } from "../../io/output.ts";
import { plural, usd } from "../../io/text.ts";
import { playtestColumns } from "./view.ts";

type OrderReply = Data<"createPlaytest">;

/** How an order was paid. */
export function paidText(reply: OrderReply): string {
  if ("paidWithPlaytestHours" in reply) return plural(reply.playtestMinutesUsed, "playtest minute");
  if ("paidWithCredit" in reply) return `${usd(reply.totalCents)} credit`;
  if ("paidWithCrypto" in reply) return `${usd(reply.totalCents)} crypto`;
  if ("needsAdminApproval" in reply) return "free trial, waiting for admin approval";
  return "requiresPayment" in reply ? `unpaid: ${usd(reply.totalCents)} due` : "free";
}

/** The remaining funds of the account. Empty if the reply does not include them. */
export function remainingText(reply: OrderReply): string {
  if ("paidWithPlaytestHours" in reply) return plural(reply.playtestMinutesRemaining, "playtest minute");
  return "paidWithCredit" in reply && typeof reply.balanceCents === "number" ? usd(reply.balanceCents) : "";
}

/** The checkout page, if the server gave one that a browser may open. */
const checkoutOf = (reply: OrderReply) =>
  "checkoutUrl" in reply && reply.checkoutUrl && isWebUrl(reply.checkoutUrl) ? reply.checkoutUrl : undefined;

const view = (reply: OrderReply) => ({
  columns: [
    ...playtestColumns,
    detail("paid with", () => paidText(reply)),
    ...(remainingText(reply) ? [detail("remaining", () => remainingText(reply))] : []),
    ...(checkoutOf(reply) ? [detail("pay at", () => checkoutOf(reply))] : []),
  ],
});

/** The outcome of an order. One left unpaid ends with exit code 7, unless `allowPending`. */
export function orderOutcome(ctx: Context, reply: OrderReply, allowPending: boolean): Outcome {
  const outcome: Outcome = { kind: "item", data: reply, subject: reply.playtest, view: view(reply) };
  if (reply.playtest.status !== "pending_payment") return outcome;
  const pay = `playtest playtests pay ${reply.playtest.id} --method credit|hours|card|x402`;
  if (!allowPending) return { ...outcome, failure: unpaid(reply, pay) };
  ctx.out.note(`The order is not paid yet. Pay with \`${pay}\`.`);
  return outcome;
}

function unpaid(reply: OrderReply, pay: string) {
  const checkout = checkoutOf(reply) ? "Pay at the address above" : `Pay with \`${pay}\``;
  const message = `Order ${reply.playtest.id} is not paid yet. Playtesters cannot see it until it is.`;
  return new CliError("PAYMENT_PENDING", exitCodes.payment, message, {
    hint: `${checkout}. Unpaid orders expire after 24 hours. If this is expected, pass --allow-pending.`,
  });
}

/** The crypto payment that the server requests with status 402. `next` says what to do after paying. */
export function cryptoOutcome(error: CliError, next: string): Outcome {
  const payment = error.extra.payment!;
  const columns = [
    detail("send", (one) => `${one.cryptoAmount} ${one.currency}`),
    detail("to", "receiver"),
    detail("chain", (one) => `${one.chain} (${one.network})`),
    detail("before", "expiresAt", "ago"),
  ];
  const failure = new CliError("PAYMENT_REQUIRED", exitCodes.payment, "The order requires a crypto payment.", {
    hint: `After sending the transaction, ${next}.`,
  });
  return { kind: "item", data: { payment }, subject: payment, view: { columns }, failure };
}

/** Adds the cost to the request that --dry-run shows. */
export async function withCost<T>(costCents: number, request: Promise<T>): Promise<T> {
  return request.catch((error: unknown) => {
    throw error instanceof DryRun ? new DryRun(error.requests.map((one) => ({ ...one, costCents }))) : error;
  });
}
