import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import * as earnings from "./earnings-store.ts";
import { heldUntil } from "./rules.ts";

/** A playtester's earnings that were not paid out, in cents. */
export interface Unpaid {
  /** All of them: `availableCents` and `heldCents` together. */
  balanceCents: number;
  /** What can be paid out now. */
  availableCents: number;
  /** What can be paid out later. */
  heldCents: number;
  /** When all that is held becomes available, in ms; null when nothing is held. */
  heldUntil: number | null;
}

/** What can be paid out to a playtester now, and what is held because it may come from a card payment that can still be disputed. */
export async function unpaidOf(deps: Deps, q: Query, playtesterId: string): Promise<Unpaid> {
  const now = deps.clock.now();
  const { holdDays } = deps.config.payouts;
  const balanceCents = await ledger.balance(q, accounts.payable(playtesterId));
  const { cents, last } = await earnings.fromCardSince(q, playtesterId, heldUntil(now, -holdDays));
  // More can be held than is unpaid: after a payout, the operator made the hold longer.
  const heldCents = Math.min(cents, balanceCents);
  const until = heldCents > 0 && last !== null ? heldUntil(last, holdDays) : null;
  return { balanceCents, availableCents: balanceCents - heldCents, heldCents, heldUntil: until };
}

/** When this entry can be paid out, in ms; null when it can be now, or is a payout. */
export function availableFrom(deps: Deps, entry: earnings.EarningRow): number | null {
  const from = heldUntil(entry.created_at, deps.config.payouts.holdDays);
  return entry.from_card && from > deps.clock.now() ? from : null;
}
