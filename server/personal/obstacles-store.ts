import { plural } from "../../src/contract/text/plural.ts";
import { isHeld } from "../billing/suspense-store.ts";
import type { Query } from "../database/port.ts";
import { accounts } from "../ledger/rules.ts";
import { balance } from "../ledger/store.ts";
import { usd } from "../lib/money.ts";

/** What is not finished in an account that is to be deleted: a sentence that says what it is and what to do. */
export interface Obstacle {
  text: string;
  /** Money that an operator may leave in the ledger of a deleted account. */
  isMoney: boolean;
}

const unfinished = "('reserved', 'submitted', 'blocked', 'publishing')";

const count = async (q: Query, sql: string, ...ids: string[]) =>
  (await q.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${sql}`, ...ids))!.n;

/** Everything that keeps an account from being deleted. */
export async function obstaclesOf(q: Query, id: string): Promise<Obstacle[]> {
  return [...(await work(q, id)), ...(await money(q, id))];
}

async function work(q: Query, id: string): Promise<Obstacle[]> {
  const found: [number, (n: number) => string][] = [
    [
      await count(q, "playtests WHERE owner_id = ? AND status IN ('active', 'pending_payment')", id),
      (n) => `${plural(n, "order")} not finished: cancel open slots, and review or wait for the others.`,
    ],
    [
      await count(q, `slots WHERE playtester_id = ? AND status IN ${unfinished}`, id),
      (n) => `${plural(n, "slot")} not finished: release them, or wait until they are reviewed.`,
    ],
    [
      await count(
        q,
        `team_members m JOIN teams t ON t.id = m.team_id JOIN slots s ON s.id = m.slot_id WHERE m.user_id = ? AND t.claimant_id <> m.user_id
          AND m.status = 'confirmed' AND t.status = 'complete' AND s.status IN ${unfinished}`,
        id,
      ),
      (n) => `${plural(n, "slot")} of friends not finished: leave their teams, or wait until they are reviewed.`,
    ],
    [
      await count(q, "payments WHERE owner_id = ? AND status = 'pending'", id),
      (n) => `${plural(n, "payment")} pending: cancel the checkout, or wait a day until it expires.`,
    ],
    [
      await count(q, "crypto_proofs WHERE owner_id = ?", id),
      (n) => `${plural(n, "crypto transaction")} not final: wait until it is, or up to a day.`,
    ],
    [
      await count(q, "subscriptions WHERE owner_id = ? AND status IN ('active', 'past_due')", id),
      () => "A plan is running: cancel it and wait until its period ends.",
    ],
    [
      await count(q, "payouts WHERE user_id = ? AND status = 'pending'", id),
      (n) => `${plural(n, "payout")} on the way: wait until the operator says what became of it.`,
    ],
  ];
  return found.filter(([n]) => n > 0).map(([n, text]) => ({ text: text(n), isMoney: false }));
}

async function money(q: Query, id: string): Promise<Obstacle[]> {
  const found: [number, (n: number) => string][] = [
    [await balance(q, accounts.credit(id)), (n) => `${usd(n)} of credit is left: spend it, or ask the operator.`],
    [await balance(q, accounts.minutes(id)), (n) => `${plural(n, "playtest minute")} left: use them, or ask the operator.`],
    [await balance(q, accounts.receivable(id)), (n) => `${usd(n)} is owed because of a dispute: buy credit to pay it.`],
    [
      await balance(q, accounts.minutesReceivable(id)),
      (n) => `${plural(n, "playtest minute")} owed because of a dispute: ask the operator.`,
    ],
    [await balance(q, accounts.payable(id)), (n) => `${usd(n)} of earnings is not paid out: ask the operator to pay it.`],
    [
      await count(
        q,
        "payment_reversals r JOIN payments p ON p.id = r.payment_id WHERE p.owner_id = ? AND r.kind = 'dispute' AND r.state = 'taken' AND r.lifted_at IS NULL",
        id,
      ),
      (n) => `${plural(n, "dispute")} open: wait until it has ended, or ask the operator.`,
    ],
    [
      await count(q, `crypto_deposits WHERE owner_id = ? AND ${isHeld}`, id),
      (n) => `${plural(n, "crypto deposit")} not credited: prove that you sent it, or ask the operator.`,
    ],
  ];
  return found.filter(([n]) => n > 0).map(([n, text]) => ({ text: text(n), isMoney: true }));
}
