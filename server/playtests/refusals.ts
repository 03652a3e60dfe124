import { ApiError, conflict } from "../lib/api-error.ts";
import { usd } from "../lib/money.ts";
import type { Funds, Need } from "./rules.ts";

/** Refusals of an order because of its price. */

/** The 402 that states the available and the required amount. */
export function insufficient(lacks: "credit" | "hours", { need, funds }: { need: Need; funds: Funds }): ApiError {
  const message =
    lacks === "credit"
      ? `The balance is ${usd(funds.balanceCents)}, but ${usd(need.totalCents)} is required.`
      : `${funds.minutesAvailable} playtest minutes are available, but ${need.minutesNeeded} are required.`;
  return new ApiError("PAYMENT_REQUIRED", `${message} Nothing was ordered or charged.`, {
    details: [{ field: "balance", message }],
  });
}

/** 409 for an order that costs more than whoever placed it allowed: the price may have changed since they were shown it. */
export function refuseAbove(maxCents: number | undefined, cents: number): void {
  if (maxCents === undefined || cents <= maxCents) return;
  throw conflict(
    `The order costs ${usd(cents)}, more than the ${usd(maxCents)} that it may cost (X-Max-Cost-Cents). Nothing was ordered or charged.`,
  );
}
