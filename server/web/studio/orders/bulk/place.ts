import { isEarlierOrder, orderedBy } from "../../../../../src/contract/bulk/ordered.ts";
import type { Planned } from "../../../../../src/contract/bulk/plan.ts";
import {
  bodyOf,
  costHeader,
  createSending,
  methodHeader,
  otherContent,
  type Tally,
} from "../../../../../src/contract/bulk/send.ts";
import { apiErrorOf } from "../../../../http/reply.ts";
import { errorText } from "../../../shared/error-text.ts";
import type { StudioContext } from "../../types.ts";
import type { Ready } from "./plan.ts";

/** Why a row was not ordered. `waits`: for somebody's approval, so nothing needs to be corrected. */
export interface Refusal {
  message: string;
  waits?: boolean;
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
      headers: { ...methodHeader(row), ...costHeader(row) },
      idempotencyKey: row.key,
    });
    return { ...orderedBy(reply.data), skipped: isEarlierOrder(reply) };
  }

  const { tally, one } = createSending<Refusal>({
    earlier: ({ key }) => ordered.get(key),
    maxCents,
    place,
    ready: async () => true,
    refusal: () => undefined,
    async failed(row, error) {
      // What was ordered until now is shown, so an outage ends the rows and not the page.
      const problem = apiErrorOf(error);
      if (problem !== error && problem.code === "INTERNAL_ERROR") throw error;
      if ((problem.code as string) === "NEEDS_APPROVAL") return { error: { message: errorText(problem), waits: true } };
      if (problem.code === "PAYMENT_REQUIRED") return "funds";
      if (problem.code === "IDEMPOTENCY_MISMATCH") return { error: { message: otherContent(row) } };
      const ends = fatal.includes(problem.code) || problem.status === 424 || problem.status >= 500;
      return { error: { message: errorText(problem) }, ends };
    },
    // The server was told the most that each may cost.
    overpriced: () => {},
    onRow: async () => {},
  });
  for (const row of rows) await one(row);
  return tally;
}
