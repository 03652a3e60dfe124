import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import { isAnyFreezing } from "../../billing/reversals-store.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import * as earnings from "./earnings-store.ts";
import { heldUntil } from "./rules.ts";

/** A playtester's earnings that were not paid out, in cents. */
export interface Unpaid {
  /** All of them: `availableCents`, `heldCents` and `disputedCents` together. */
  balanceCents: number;
  /** What can be paid out now. */
  availableCents: number;
  /** What can be paid out later. */
  heldCents: number;
  /** When a part of what is held becomes available, in ms; null when nothing is held. */
  nextReleaseAt: number | null;
  /** When all that is held becomes available, in ms; null when nothing is held. */
  heldUntil: number | null;
  /** What cannot be paid out until a dispute of the payment that it came from has ended. */
  disputedCents: number;
}

/** What is unpaid of a playtester, and the earnings that disputes hold. */
export interface Standing {
  unpaid: Unpaid;
  disputed: ReadonlySet<string>;
}

/** What can be paid out to a playtester now, and what is held because a card payment that it may come from is disputed or still can be. */
export const unpaidOf = async (q: ReadTx, playtesterId: string): Promise<Standing> =>
  (await unpaidOfAll(q, [playtesterId])).get(playtesterId)!;

/** The same of several playtesters, by their ids. */
export async function unpaidOfAll(q: ReadTx, playtesterIds: readonly string[]): Promise<Map<string, Standing>> {
  if (playtesterIds.length === 0) return new Map();
  const { holdDays } = q.config.payouts;
  const payable = playtesterIds.map(accounts.payable);
  const balances = await ledger.balances(q, payable);
  const fromCard = await earnings.fromCardSince(q, payable, heldUntil(q.now, -holdDays));
  const isAnyFrozen = await isAnyFreezing(q);
  const found = new Map<string, Standing>();
  for (const id of playtesterIds) {
    const account = accounts.payable(id);
    const disputed = isAnyFrozen ? await disputedOf(q, id) : new Map<string, number>();
    const entries = fromCard.filter(({ account_id }) => account_id === account);
    found.set(id, standing(balances.get(account) ?? 0, entries, disputed, holdDays));
  }
  return found;
}

function standing(
  balanceCents: number,
  fromCard: readonly earnings.CardEarning[],
  disputed: ReadonlyMap<string, number>,
  holdDays: number,
): Standing {
  const disputedCents = Math.min(sumOf([...disputed.values()]), balanceCents);
  const held = fromCard.filter(({ id }) => !disputed.has(id));
  // More can be held than is unpaid: after a payout, the operator made the hold longer.
  const heldCents = Math.min(sumOf(held.map(({ cents }) => cents)), balanceCents - disputedCents);
  const release = (entry: earnings.CardEarning | undefined) =>
    heldCents > 0 && entry ? heldUntil(entry.created_at, holdDays) : null;
  const availableCents = balanceCents - heldCents - disputedCents;
  const [nextReleaseAt, until] = [release(held[0]), release(held.at(-1))];
  return {
    unpaid: { balanceCents, availableCents, heldCents, nextReleaseAt, heldUntil: until, disputedCents },
    disputed: new Set(disputed.keys()),
  };
}

/**
 * The earnings that open disputes hold, and what of each was not paid out before the dispute, in cents. Payouts do not name what they
 * pay: those before the dispute paid the oldest earnings, and those since then did not pay what it holds.
 */
async function disputedOf(q: Query, playtesterId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await earnings.disputed(q, playtesterId);
  if (rows.length === 0) return new Map();
  const upTo = runningTotals(await earnings.earned(q, playtesterId));
  const paid = new Map<number, number>();
  for (const { since } of rows) if (!paid.has(since)) paid.set(since, await earnings.paidBefore(q, playtesterId, since));
  const unpaid = rows.map(({ id, cents, since }) => [id, Math.min(cents, upTo.get(id)! - paid.get(since)!)] as const);
  return new Map(unpaid.filter(([, cents]) => cents > 0));
}

function runningTotals(earned: readonly { id: string; cents: number }[]): ReadonlyMap<string, number> {
  let total = 0;
  return new Map(
    earned.map(({ id, cents }) => {
      total += cents;
      return [id, total];
    }),
  );
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, cents) => sum + cents, 0);

/** When this entry can be paid out, in ms; null when it can be now, or is a payout. */
export function availableFrom(deps: Deps, entry: earnings.EarningRow): number | null {
  const from = heldUntil(entry.created_at, deps.config.payouts.holdDays);
  return entry.from_card && from > deps.clock.now() ? from : null;
}
