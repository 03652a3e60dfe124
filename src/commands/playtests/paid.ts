import { type Context, detail, moneyCol, type Row, viewOf } from "../../cli/define.ts";
import { budgetText } from "../../contract/accounts/budget-text.ts";
import { costOf, isFree, type OrderReply } from "../../contract/bulk/ordered.ts";
import { CliError, DryRun, exitCodes } from "../../errors.ts";
import type { Outcome } from "../../io/output.ts";
import { plural, usd } from "../../io/text.ts";
import { checkoutOf, unpaidFailure } from "../shared/unpaid.ts";
import type { Receipt } from "../shared/wallet.ts";
import { playtestColumns } from "./view.ts";

/** How an order was paid. */
export function paidText(reply: OrderReply): string {
  const cents = costOf(reply);
  const amount = cents === undefined ? "" : `${usd(cents)} `;
  if ("paidWithPlaytestHours" in reply)
    return typeof reply.playtestMinutesUsed === "number"
      ? plural(reply.playtestMinutesUsed, "playtest minute")
      : "playtest hours";
  if ("paidWithCredit" in reply) return `${amount}credit`;
  if ("paidWithCrypto" in reply) return `${amount}crypto`;
  if ("needsAdminApproval" in reply) return "free trial, waiting for admin approval";
  if ("requiresPayment" in reply || reply.playtest.status === "pending_payment") return `unpaid: ${amount || "an amount "}due`;
  return isFree(reply) ? "free" : "not reported";
}

/** The remaining funds of the account. Empty if the reply does not include them. */
export function remainingText(reply: OrderReply): string {
  if ("paidWithPlaytestHours" in reply && typeof reply.playtestMinutesRemaining === "number")
    return plural(reply.playtestMinutesRemaining, "playtest minute");
  return "paidWithCredit" in reply && typeof reply.balanceCents === "number" ? usd(reply.balanceCents) : "";
}

/** The budgets that counted the order, on a server that has them. */
const budgetsOf = (reply: OrderReply) => reply.budgets ?? [];

const view = (reply: OrderReply, receipt: Receipt | undefined) =>
  viewOf<OrderReply["playtest"]>([
    ...playtestColumns,
    moneyCol(detail("paid with", () => paidText(reply))),
    ...(receipt ? [detail("transaction", () => `${receipt.transaction} (${receipt.network})`)] : []),
    ...(remainingText(reply) ? [detail("remaining", () => remainingText(reply))] : []),
    ...budgetsOf(reply).map((budget) => detail("budget", () => budgetText(budget, usd))),
    ...(checkoutOf(reply) ? [detail("pay at", () => checkoutOf(reply))] : []),
  ]);

/** The outcome of an order. One left unpaid ends with exit code 7, unless `allowPending`. `receipt`: that of a signed payment. */
export async function orderOutcome(
  ctx: Context,
  reply: OrderReply,
  { allowPending, receipt }: { allowPending: boolean; receipt?: Receipt | undefined },
): Promise<Outcome> {
  const data = { ...reply, ...(receipt && { receipt }) };
  const failure = await unpaidFailure(ctx, reply, allowPending);
  return { kind: "item", data, subject: reply.playtest, view: view(reply, receipt), failure };
}

/** The crypto payment that the server requests with status 402. `next` says what to do after paying. */
export function cryptoOutcome(error: CliError, next: string): Outcome {
  const payment = error.extra.payment!;
  const view = viewOf<Row<"cryptoAmount" | "currency" | "receiver" | "network" | "chain" | "expiresAt">>([
    detail("send", (one) => `${one.cryptoAmount} ${one.currency}`),
    detail("to:receiver"),
    detail("chain", (one) => (one.network ? `${one.chain} (${one.network})` : one.chain)),
    detail("before:expiresAt"),
  ]);
  const failure = new CliError("PAYMENT_REQUIRED", exitCodes.payment, "The order requires a crypto payment.", {
    hint: `After sending the transaction, ${next}.`,
  });
  return { kind: "item", data: { payment }, subject: payment, view, failure };
}

/** Adds the cost to the request that --dry-run shows. */
export async function withCost<T>(costCents: number | undefined, request: Promise<T>): Promise<T> {
  return request.catch((error: unknown) => {
    throw error instanceof DryRun && costCents !== undefined
      ? new DryRun(error.requests.map((one) => ({ ...one, costCents })))
      : error;
  });
}
