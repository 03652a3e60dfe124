import { expect } from "vitest";
import type { ReversalRow } from "../../server/billing/reversals-store.ts";
import type { PaymentRow } from "../../server/billing/store.ts";
import { planOf } from "../../server/billing/subscriptions/plans.ts";
import type { Query } from "../../server/database/port.ts";

/** What must be true of an owner's money and no invariant of the ledger says: worked out from the payments alone. */
export async function checkOracles(q: Query): Promise<void> {
  expect(await issued(q)).toBe(await deserved(q));
  await checkSettled(q);
}

const number = async (q: Query, sql: string) => Number((await q.one<{ n: number | string }>(sql))!.n);

const issued = (q: Query) =>
  number(q, "SELECT COALESCE(SUM(amount), 0) AS n FROM ledger_postings WHERE account_id = 'min:issued'");

/** The minutes of each plan payment of which not all went back, and what was granted. */
async function deserved(q: Query): Promise<number> {
  const rows = await q.all<PaymentRow & { plan_key: Parameters<typeof planOf>[0] }>(
    "SELECT p.*, s.plan_key FROM payments p JOIN subscriptions s ON s.id = p.subscription_id WHERE p.status IN ('completed', 'disputed', 'refunded')",
  );
  const reversals = await q.all<ReversalRow>("SELECT * FROM payment_reversals WHERE state = 'taken'");
  const takenOf = (id: string) => reversals.reduce((sum, { payment_id, cents }) => sum + (payment_id === id ? cents : 0), 0);
  const plans = rows.filter(({ id, amount_cents }) => takenOf(id) < amount_cents);
  const granted = await number(
    q,
    "SELECT COALESCE(SUM(p.amount), 0) AS n FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id WHERE t.source = 'admin_grant:' AND p.account_id = 'min:issued'",
  );
  return plans.reduce((sum, { plan_key }) => sum + planOf(plan_key).minutesPerCycle, granted);
}

interface Step {
  source: string;
  account_id: string;
  amount: number;
  payment_id: string | null;
  purpose: string | null;
}

/** Money that comes in for credit, or comes back to it, settles first what is owed: as much of it as there is, and at once. */
async function checkSettled(q: Query): Promise<void> {
  const steps = await q.all<Step>(
    `SELECT t.source, t.payment_id, p.account_id, p.amount, y.purpose FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
      LEFT JOIN payments y ON y.id = t.payment_id WHERE p.account_id LIKE 'assets:receivable:%' OR (p.account_id LIKE 'liab:credit:%' AND p.amount < 0)
      ORDER BY p.id`,
  );
  let owed = 0;
  let due: Step | undefined;
  for (const step of steps) {
    const isDebt = step.account_id.startsWith("assets:receivable:");
    if (due) expect(step).toMatchObject({ source: "settle:", payment_id: due.payment_id, amount: -Math.min(owed, -due.amount) });
    if (isDebt) owed += Number(step.amount);
    const cameIn = step.purpose === "credit" && /^(topup|crypto|resolve):$/.test(step.source);
    const cameBack = /^(slot_refund|manual_slot_expired|goodwill):$/.test(step.source);
    const settles = !isDebt && owed > 0 && (cameIn || cameBack);
    due = settles ? step : undefined;
  }
  expect(due).toBe(undefined);
}
