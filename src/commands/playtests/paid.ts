import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";
import { detail } from "../../cli/define.ts";
import { CliError, DryRun, exitCodes } from "../../errors.ts";
import type { Outcome } from "../../io/output.ts";
import { plural, usd } from "../../io/text.ts";
import { playtestColumns } from "./view.ts";

type OrderReply = Data<"createPlaytest">;

/** How an order was paid, in words. */
export function paidText(reply: OrderReply): string {
  if ("paidWithPlaytestHours" in reply) return plural(reply.playtestMinutesUsed, "playtest minute");
  if ("paidWithCredit" in reply) return `${usd(reply.totalCents)} credit`;
  if ("paidWithCrypto" in reply) return `${usd(reply.totalCents)} crypto`;
  if ("needsAdminApproval" in reply) return "free trial, waiting for the admin's approval";
  return "requiresPayment" in reply ? `not yet: ${usd(reply.totalCents)} to pay` : "free";
}

/** What the account has left, in words; empty where the reply does not say. */
export function leftText(reply: OrderReply): string {
  if ("paidWithPlaytestHours" in reply) return plural(reply.playtestMinutesRemaining, "playtest minute");
  return "paidWithCredit" in reply && typeof reply.balanceCents === "number" ? usd(reply.balanceCents) : "";
}

const view = (reply: OrderReply) => ({
  columns: [
    ...playtestColumns,
    detail("paid with", () => paidText(reply)),
    ...(leftText(reply) ? [detail("left", () => leftText(reply))] : []),
    ...("checkoutUrl" in reply && reply.checkoutUrl ? [detail("pay at", () => reply.checkoutUrl)] : []),
  ],
});

/** The order as it stands; one left unpaid is exit 7 unless that was allowed. */
export function orderOutcome(ctx: Context, reply: OrderReply, allowPending: boolean): Outcome {
  const outcome: Outcome = { kind: "item", data: reply, subject: reply.playtest, view: view(reply) };
  if (reply.playtest.status !== "pending_payment") return outcome;
  const pay = `playtest playtests pay ${reply.playtest.id} --method credit|hours|card|x402`;
  if (!allowPending) return { ...outcome, failure: unpaid(reply, pay) };
  ctx.out.note(`Not paid yet. Pay with \`${pay}\`.`);
  return outcome;
}

function unpaid(reply: OrderReply, pay: string) {
  const checkout = "checkoutUrl" in reply && reply.checkoutUrl ? "Pay at the address above" : `Pay with \`${pay}\``;
  const message = `Order ${reply.playtest.id} waits for payment; no playtester sees it before that.`;
  return new CliError("PAYMENT_PENDING", exitCodes.payment, message, {
    hint: `${checkout}, or pass --allow-pending where this is expected. Unpaid orders lapse after 24 hours.`,
  });
}

/** The chain's side of a crypto payment, as the server's 402 tells it. */
export function cryptoOutcome(error: CliError, again: string): Outcome {
  const payment = error.extra.payment!;
  const columns = [
    detail("send", (one) => `${one.cryptoAmount} ${one.currency}`),
    detail("to", "receiver"),
    detail("chain", (one) => `${one.chain} (${one.network})`),
    detail("before", "expiresAt", "ago"),
  ];
  const failure = new CliError("PAYMENT_REQUIRED", exitCodes.payment, "The order waits for a crypto payment.", {
    hint: `When the transaction is sent: ${again}`,
  });
  return { kind: "item", data: { payment }, subject: payment, view: { columns }, failure };
}

/** Names the price in what --dry-run shows of a request. */
export async function costing<T>(costCents: number, request: Promise<T>): Promise<T> {
  return request.catch((error: unknown) => {
    throw error instanceof DryRun ? new DryRun(error.requests.map((one) => ({ ...one, costCents }))) : error;
  });
}
