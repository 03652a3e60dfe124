import type { ReadTx } from "../../app/tx.ts";
import { ApiError, conflict } from "../../lib/api-error.ts";
import { coins } from "./rules.ts";
import type * as crypto from "./store.ts";

/** Errors that say why a submitted deposit was not credited, and how to have it credited. */

export const taken = () =>
  new ApiError("CONFLICT", "This transaction was already used for another payment. Nothing was changed.", {
    details: [{ field: "txHash", message: "was already used for another payment" }],
  });

const openOneFirst = "Request payment instructions of any amount first to get a payment ID.";

/** Says how to get a deposit credited that is held in suspense. Without the id of a payment, also how to get one. */
const howToProve = (paymentId: string | undefined, txHash: string) =>
  `If you can sign with the address that sent it, run \`playtest billing credit x402 prove ${paymentId ?? "PAYMENT"} --tx ${txHash}\` to have it credited. Otherwise, for example if an exchange sent it, ask the operator.${paymentId === undefined ? ` ${openOneFirst}` : ""}`;

/** Says what becomes of a deposit that was not credited. */
const fate = ({ value_cents, tx_hash }: crypto.DepositRow, paymentId: string | undefined) =>
  value_cents < 1
    ? "The deposit is worth less than a cent, which is too little to be credited."
    : `The deposit is not lost: it is held as an unmatched deposit. ${howToProve(paymentId, tx_hash)}`;

/** The error for a deposit in suspense that matches no payment by its amount, or was submitted by another account. */
export const unmatched = (deposit: crypto.DepositRow, paymentId: string | undefined) =>
  conflict(`The transaction arrived, but nothing shows that you sent it. Nothing was credited. ${fate(deposit, paymentId)}`);

/** The error for a deposit that became credit because its order could not begin. An order that runs is not to be placed again. */
export async function creditedInstead(tx: ReadTx, deposit: crypto.DepositRow, quote: crypto.QuoteRow): Promise<ApiError> {
  const wasPaid =
    deposit.note === "order_over" && quote.playtest_id !== null && (await tx.paidOrders.wasPaid(tx, quote.playtest_id));
  if (!wasPaid) return refusal(deposit, quote);
  return conflict("The order had already been paid. The amount was credited to your account. Do not place the order again.");
}

/** The error for a deposit that did not pay the quote it was sent for. */
export function refusal(deposit: crypto.DepositRow, quote: crypto.QuoteRow): ApiError {
  if (deposit.status === "refunded")
    return conflict("The operator recorded that this deposit was sent back. Nothing was credited. Contact the operator.");
  const text = (atomic: bigint) => `${coins(atomic, quote.currency)} ${quote.currency}`;
  const [sent, asked] = [BigInt(deposit.amount_atomic), BigInt(quote.amount_atomic)];
  const rest = fate(deposit, quote.payment_id);
  switch (deposit.note) {
    case "short": {
      const missing = `${text(sent)} arrived of ${text(asked)}: ${text(asked - sent)} is missing.`;
      return new ApiError(
        "PAYMENT_REQUIRED",
        `${missing} Nothing was credited. Pay the full amount in a new transaction. ${rest}`,
        { details: [{ field: "txHash", message: missing }] },
      );
    }
    case "over":
      // Of several open payments of the owner, nothing says which one it was sent for.
      return conflict(
        `${text(sent)} arrived, more than was requested, so it may be the payment of somebody else. Nothing was credited. ${rest}`,
      );
    case "late":
      return conflict(`The transaction arrived after the payment had expired. Nothing was credited. ${rest}`);
    case "again":
      return conflict(`This was already paid by another transaction. Nothing was credited. ${rest}`);
    case "unclear":
      return conflict(
        `${text(sent)} is not the requested amount, and it may come from another account. Nothing was credited. ${rest}`,
      );
    case "frozen":
      return conflict(
        "The amount was credited to your account, but it does not pay the order: another payment of yours is disputed, so you cannot order until the dispute has ended. Contact the operator of this server.",
      );
    default:
      return conflict("The order had ended when it was paid. The amount was credited to your account. Order again to use it.");
  }
}
