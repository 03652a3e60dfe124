import type { Rule } from "./check-rule.ts";

const text = (value: string) => `CAST(${value} AS TEXT)`;
const help =
  "A budget counts more or less than was spent, so that it refuses too much or too little. Something other than this program changed its rows, or those of the order. First stop the server and make a copy of the database as it is. Compare it with the last good backup, and the entries of the budget with the orders and payments that they name. Then correct it, or restore that backup with `playtest serve restore`.";

export const budgetUses: Rule = {
  name: "ledger_13_budget_uses",
  promise: "what is spent of each budget is the sum of its entries",
  help,
  sql: `SELECT 'budget ' || budget_id AS id, 'differs from its entries by ' || ${text("SUM(cents)")} || ' cents, ' || ${text("SUM(minutes)")} || ' minutes and ' || ${text("SUM(slots)")} || ' slots' AS detail
    FROM (SELECT budget_id, starts_at, cents, minutes, slots FROM budget_uses
      UNION ALL SELECT budget_id, starts_at, -cents, -minutes, -slots FROM budget_entries) AS counted
    GROUP BY budget_id, starts_at HAVING SUM(cents) <> 0 OR SUM(minutes) <> 0 OR SUM(slots) <> 0`,
};

// A budget of money without minutes counts what hours pay for by its price.
/** What an order moved from its owner's credit or hours when it was paid. */
const posted = (kind: string, asset: string) =>
  `COALESCE((SELECT MAX(x.amount) FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
    WHERE t.event_key = '${kind}:' || p.id AND t.asset = '${asset}'), 0)`;
/** What an order refunded since, of one asset. */
const returned = (asset: string) =>
  `COALESCE((SELECT SUM(x.amount) FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
    WHERE t.playtest_id = p.id AND t.asset = '${asset}' AND t.source IN ('slot_refund:', 'manual_slot_expired:') AND x.amount > 0), 0)`;
const due = "CASE WHEN p.status = 'pending_payment' THEN p.cost_per_slot_cents * p.quantity ELSE 0 END";
const entered = (
  kinds: string,
) => `SELECT budget_id, playtest_id, SUM(cents) AS cents, SUM(minutes) AS minutes FROM budget_entries
  WHERE playtest_id IS NOT NULL AND kind IN (${kinds}) GROUP BY budget_id, playtest_id`;

export const budgetEntries: Rule = {
  name: "ledger_14_budget_entries",
  promise:
    "each budget counts of an order what the ledger posted for it, or what it still has to pay, and of a payment what it was for",
  help,
  sql: `SELECT 'order ' || playtest_id AS id, 'is counted as ' || ${text("cents")} || ' cents and ' || ${text("minutes")} || ' minutes, and took ' || ${text("took_cents")} || ' and ' || ${text("took_minutes")} AS detail FROM (
      SELECT e.playtest_id, e.cents, e.minutes, ${due} + ${posted("order", "USD")} AS took_cents, ${posted("playtest", "MIN")} AS took_minutes,
        p.cost_per_slot_cents * p.quantity AS worth
        FROM (${entered("'spend', 'release'")}) AS e JOIN playtests p ON p.id = e.playtest_id) AS orders
      WHERE (cents <> took_cents AND NOT (took_minutes > 0 AND cents = worth)) OR minutes <> took_minutes
    UNION ALL SELECT 'order ' || playtest_id, 'refunded ' || ${text("-cents")} || ' cents and ' || ${text("-minutes")} || ' minutes to a budget, and ' || ${text("gave_cents")} || ' and ' || ${text("gave_minutes")} || ' in all' FROM (
      SELECT e.playtest_id, e.cents, e.minutes, ${returned("USD")} AS gave_cents, ${returned("MIN")} AS gave_minutes,
        p.duration_minutes * p.player_count AS per_slot, p.cost_per_slot_cents
        FROM (${entered("'refund'")}) AS e JOIN playtests p ON p.id = e.playtest_id) AS refunds
      WHERE (-cents <> gave_cents AND NOT (gave_minutes > 0 AND -cents * per_slot = gave_minutes * cost_per_slot_cents)) OR -minutes <> gave_minutes
    UNION ALL SELECT 'payment ' || payment_id, 'is counted as ' || ${text("cents")} || ' cents while it is ' || status FROM (
      SELECT e.payment_id, SUM(e.cents) AS cents, p.status, CASE WHEN p.status IN ('failed', 'cancelled') THEN 0 ELSE 1 END AS counts
        FROM budget_entries e JOIN payments p ON p.id = e.payment_id GROUP BY e.budget_id, e.payment_id, p.status) AS payments
      WHERE (cents > 0 AND counts = 0) OR (cents <= 0 AND counts = 1)
    UNION ALL SELECT 'entry ' || e.id, 'is about nothing that exists' FROM budget_entries e
      WHERE NOT EXISTS (SELECT 1 FROM playtests p WHERE p.id = e.playtest_id) AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.id = e.payment_id)`,
};
