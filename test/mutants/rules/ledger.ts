// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

/** Each makes one part of one of the invariants blind. */
const rows: readonly (readonly [blind: string, from: string, to: string])[] = [
  ["1: a transfer that is off", "GROUP BY transfer_id HAVING SUM(amount) <> 0`", "GROUP BY transfer_id HAVING 1 = 2`"],
  ["1: cents among minutes", "WHERE (t.asset = 'MIN') <> (p.account_id LIKE 'min:%')", "WHERE 1 = 2"],
  ["1: an asset that is off", "GROUP BY asset HAVING SUM(amount) <> 0", "GROUP BY asset HAVING 1 = 2"],
  ["2: a changed balance", 'WHERE a.balance <> ${sumOf("a.id")}', "WHERE 1 = 2"],
  ["2: a lost balance", 'WHERE ${isKept("p.account_id")} AND NOT', "WHERE 1 = 2 AND NOT"],
  ["3: overdrawn credit", '(balance_after > 0 AND ${isCredit("account_id")}) OR ', ""],
  ["3: an overdrawn receivable", ' OR (balance_after < 0 AND ${isDebit("account_id")})', ""],
  ["4: holds", "AS holds\n      WHERE held <> worth", "AS holds\n      WHERE 1 = 2"],
  [
    "4: holds of cents",
    "CASE WHEN p.paid_with = 'credit' THEN p.cost_per_slot_cents ELSE 0 END * ${unfinished} AS worth",
    "-${sumOf(\"'liab:held:' || p.id\")} AS worth",
  ],
  [
    "4: holds of minutes",
    "CASE WHEN p.paid_with = 'hours' THEN p.duration_minutes * p.player_count ELSE 0 END * ${unfinished} FROM",
    "-${sumOf(\"'min:held:' || p.id\")} FROM",
  ],
  ["4: cents held for nothing", '    strayHold("liab:held:"),\n', ""],
  ["4: minutes held for nothing", '    strayHold("min:held:"),\n', ""],
  ["5: a hold that ended never or twice", "WHERE times <> CASE WHEN status IN ${holding} THEN 0 ELSE 1 END", "WHERE 1 = 2"],
  ["5: a hold that ended twice", "WHERE times <> CASE WHEN", "WHERE times < CASE WHEN"],
  ["5: a payout of another amount", "AND x.amount = -p.payout_cents)", "AND x.amount < 0)"],
  ["5: a payment that was not credited", "(COALESCE(c.times, 0) <> 1 OR (p.provider", "(1 = 2 OR (p.provider"],
  ["5: a payment credited with another amount", " OR (p.provider <> 'playtest_hours' AND c.cents <> p.amount_cents))", ")"],
  ["5: a plan without minutes", "AND p.purpose = 'subscription' AND NOT", "AND p.purpose = 'nothing' AND NOT"],
  ["6: minutes in another's history", "AND p.account_id <> 'min:balance:' || COALESCE(t.owner_id, '')", "AND 1 = 2"],
  [
    "6: minutes in no history",
    "      AND t.source NOT IN ('invoice:', 'playtest:', 'slot",
    "      AND 1 = 2 AND t.source NOT IN ('invoice:', 'playtest:', 'slot",
  ],
  ["6: minutes of nobody", "WHERE a.id LIKE 'min:balance:%'\n", "WHERE 1 = 2\n"],
  ["7: a processor's balance", "AS processors\n      WHERE held <> worth", "AS processors\n      WHERE 1 = 2"],
  [
    "7: a processor without payments",
    "\n          UNION SELECT ${tail(\"assets:processor:\")} FROM ledger_postings WHERE account_id LIKE 'assets:processor:%'",
    "",
  ],
  ["8: a deposit that is not posted", "WHERE value_cents > 0 AND NOT ${posted(depositKey)}", "WHERE 1 = 2"],
  ["8: a deposit that is nowhere", "WHERE status NOT IN ('credited', 'suspense', 'refunded')", "WHERE 1 = 2"],
  ["8: credit without a deposit", "AND event_key NOT IN (SELECT ${depositKey} FROM crypto_deposits)", "AND 1 = 2"],
  ["8: deposits of another value", "AS chains\n      WHERE held <> worth", "AS chains\n      WHERE 1 = 2"],
  ["8: what is kept aside", "AS kept\n      WHERE held <> worth", "AS kept\n      WHERE 1 = 2"],
  ["9: lost postings", "WHERE NOT EXISTS (SELECT 1 FROM ledger_postings p WHERE p.transfer_id = t.id)", "WHERE 1 = 2"],
  ["9: a posting moved in time", "WHERE p.created_at <> t.created_at", "WHERE 1 = 2"],
  ["9: a gap in a history", "HAVING SUM(side) <> 0 OR level IS NULL", "HAVING 1 = 2"],
  [
    "10: an unknown kind",
    "WHERE t.source NOT IN ${known} OR SUBSTR(t.event_key, 1, LENGTH(t.source)) <> t.source",
    "WHERE 1 = 2",
  ],
  [
    "10: a slot that is something else",
    "WHERE t.source IN ${slotSources} AND s.status <> CASE",
    "WHERE 1 = 2 AND s.status <> CASE",
  ],
  ["10: a slot that is not there", "WHERE t.source IN ${slotSources} AND NOT EXISTS", "WHERE 1 = 2 AND NOT EXISTS"],
  ["10: an order paid otherwise", "WHERE t.source IN ('order:', 'playtest:') AND NOT EXISTS", "WHERE 1 = 2 AND NOT EXISTS"],
  [
    "10: an order that is not posted",
    "WHERE (p.paid_with = 'credit' AND NOT ${posted(\"'order:' || p.id\")}) OR (p.paid_with = 'hours' AND NOT ${posted(\"'playtest:' || p.id\")})",
    "WHERE 1 = 2",
  ],
  [
    "10: a payment that was never made",
    "AND (p.id IS NULL OR (p.status NOT IN ${arrived}",
    "AND (1 = 2 AND (p.status NOT IN ${arrived}",
  ],
  ["10: what was taken back", "WHERE COALESCE(r.cents, 0) <> COALESCE(x.cents, 0)", "WHERE 1 = 2"],
  [
    "10: a payout of another amount",
    "WHERE COALESCE(x.cents, 0) <> CASE o.status WHEN 'failed' THEN 0 ELSE o.amount_cents END",
    "WHERE 1 = 2",
  ],
  [
    "10: a payout that is not there",
    "WHERE t.source IN ('withdraw:', 'withdraw_failed:') AND NOT EXISTS",
    "WHERE 1 = 2 AND NOT EXISTS",
  ],
];

export const ledgerRules: readonly Mutant[] = rows.map(([blind, from, to]) => ({
  rule: `ledger check ${blind}`,
  test: "store/ledger-checks",
  edits: [["server/ledger/check-queries.ts", from, to]],
}));
