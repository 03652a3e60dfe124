import { isEarlierOrder, orderedBy } from "../../../../../src/contract/bulk/ordered.ts";
import type { Planned } from "../../../../../src/contract/bulk/plan.ts";
import { bodyOf, createSending, methodHeader, otherContent, type Tally } from "../../../../../src/contract/bulk/send.ts";
import { ApiError, conflict } from "../../../../lib/api-error.ts";
import { errorText } from "../../../shared/error-text.ts";
import type { StudioContext } from "../../types.ts";
import type { Ready } from "./plan.ts";

/** Why a row was not ordered. */
export interface Refusal {
  message: string;
}

// Problems that every other row would have too.
const fatal: readonly string[] = ["UNAUTHORIZED", "FORBIDDEN", "EMAIL_NOT_VERIFIED", "RATE_LIMITED", "BUDGET_EXCEEDED"];

/** Orders the rows one after the other, which takes no longer: the orders of one owner wait for each other. */
export async function placeRows(
  { call }: StudioContext,
  { rows, ordered, keepsRefs }: Ready,
  maxCents: number | undefined,
): Promise<Tally<Refusal>> {
  async function place(row: Planned) {
    const reply = await call("createPlaytest", {
      params: { gameId: row.game },
      body: bodyOf(row, keepsRefs),
      // It costs what was shown, or is not ordered.
      headers: { ...methodHeader(row), ...(row.payWith !== "hours" && { "x-max-cost-cents": String(row.cents) }) },
      idempotencyKey: row.key,
    });
    if ("approval" in reply.data) throw conflict("Waits for approval, because of a budget. Nothing was ordered or charged yet.");
    return { ...orderedBy(reply.data), skipped: isEarlierOrder(reply) };
  }

  const { tally, one } = createSending<Refusal>({
    earlier: ({ key }) => ordered.get(key),
    maxCents,
    place,
    ready: async () => true,
    refusal: () => undefined,
    async failed(row, error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "PAYMENT_REQUIRED") return "funds";
      if (error.code === "IDEMPOTENCY_MISMATCH") return { error: { message: otherContent(row) } };
      const ends = fatal.includes(error.code) || error.status === 424 || error.status >= 500;
      return { error: { message: errorText(error) }, ends };
    },
    // The server was told the most that each may cost.
    overpriced: () => {},
    onRow: async () => {},
  });
  for (const row of rows) await one(row);
  return tally;
}
