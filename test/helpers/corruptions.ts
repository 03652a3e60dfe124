import { initial } from "../../server/database/migrations/001-initial.ts";
import { invoicing } from "../../server/database/migrations/033-invoices.ts";
import type { Query, Store } from "../../server/database/port.ts";

/** A way to corrupt the ledger by hand, and what the checks then report. */
export interface Corruption {
  name: string;
  /** The check that fails; no other does, unless listed in `also`. */
  rule: string;
  also?: readonly string[];
  says: RegExp;
  /** Takes away the constraint that refuses it. */
  unguard?: string;
  sql: readonly string[];
}

const first = (table: string, condition: string) => `(SELECT MIN(id) FROM ${table} WHERE ${condition})`;
const owner = "(SELECT MIN(id) FROM ledger_accounts WHERE id LIKE 'liab:credit:%')";
const debtor = "(SELECT MIN(id) FROM ledger_accounts WHERE id LIKE 'assets:receivable:%')";
const accept = first(
  "ledger_transfers",
  "source = 'accept:' AND playtest_id IN (SELECT id FROM playtests WHERE paid_with = 'credit')",
);
const renamed = (to: string, which: string) =>
  `UPDATE ledger_transfers SET event_key = '${to}:lost', source = '${to}:' WHERE id = ${which}`;

/** A forged transfer that balances: it moves `amount`, an expression over account `a`, from goodwill to the account. */
const forged = (id: string, account: string, amount: string, after: string | null) => [
  `INSERT INTO ledger_transfers (id, event_key, asset, source, created_at) VALUES ('${id}', 'goodwill:${id}', 'USD', 'goodwill:', 1)`,
  `INSERT INTO ledger_postings (id, transfer_id, account_id, amount, balance_after, created_at)
    SELECT '${id}-1', '${id}', ${account}, ${amount}, ${after}, 1 FROM ledger_accounts a WHERE a.id = ${account.startsWith("'") ? owner : account}`,
  `INSERT INTO ledger_postings (id, transfer_id, account_id, amount, created_at)
    SELECT '${id}-2', '${id}', 'expense:goodwill', -amount, 1 FROM ledger_postings WHERE id = '${id}-1'`,
];

/** Forged minutes for an account, in the history of `owner`. */
const granted = (owner: string, account: string) => [
  `INSERT INTO ledger_transfers (id, event_key, asset, source, owner_id, created_at) VALUES ('g1', 'admin_grant:g1', 'MIN', 'admin_grant:', '${owner}', 1)`,
  `INSERT INTO ledger_postings (id, transfer_id, account_id, amount, balance_after, created_at) VALUES ('g1-1', 'g1', '${account}', -60, -60, 1)`,
  "INSERT INTO ledger_postings (id, transfer_id, account_id, amount, created_at) VALUES ('g1-2', 'g1', 'min:issued', 60, 1)",
  `INSERT INTO ledger_accounts (id, asset, balance) VALUES ('${account}', 'MIN', -60)`,
];

const budget =
  "INSERT INTO budgets (id, owner_id, period, created_at, updated_at) SELECT 'b1', MIN(id), 'total', 1, 1 FROM users";
const countedBy = (kind: string, cents: number, playtest: string, payment: string) => [
  `INSERT INTO budget_uses (budget_id, starts_at, cents, minutes, slots, alerted) VALUES ('b1', 0, ${cents}, 0, 0, 0)`,
  `INSERT INTO budget_entries (id, budget_id, starts_at, playtest_id, payment_id, kind, cents, minutes, slots, created_at)
    VALUES ('e1', 'b1', 0, ${playtest}, ${payment}, '${kind}', ${cents}, 0, 0, 1)`,
];

export const corruptions: readonly Corruption[] = [
  {
    name: "a changed posting",
    rule: "ledger_1_transfers",
    says: /transfer \S+ is off by 1;.* asset USD is off by 1/,
    sql: [
      `UPDATE ledger_postings SET amount = amount + 1 WHERE id = ${first("ledger_postings", "account_id = 'revenue:platform'")}`,
    ],
  },
  {
    name: "a transfer in USD that is marked as minutes",
    rule: "ledger_1_transfers",
    says: /transfer \S+ posts MIN to /,
    sql: ["UPDATE ledger_transfers SET asset = 'MIN' WHERE source = 'goodwill:'"],
  },
  {
    name: "a changed balance",
    rule: "ledger_2_balances",
    says: /liab:credit:\S+ holds -\d+, its postings -\d+/,
    sql: [`UPDATE ledger_accounts SET balance = balance - 5 WHERE id = ${owner}`],
  },
  {
    name: "a deleted receivable account",
    rule: "ledger_2_balances",
    says: /assets:receivable:\S+ has postings but no balance/,
    sql: ["DELETE FROM ledger_accounts WHERE id LIKE 'assets:receivable:%'"],
  },
  {
    name: "credit that was overdrawn temporarily",
    rule: "ledger_3_overdrafts",
    says: /liab:credit:\S+ was overdrawn by 1/,
    sql: [...forged("f1", owner, "1 - a.balance", "1"), ...forged("f2", owner, "a.balance - 1", "a.balance")],
  },
  {
    name: "a receivable that was overpaid temporarily",
    rule: "ledger_3_overdrafts",
    says: /assets:receivable:\S+ was overdrawn by 2/,
    sql: [...forged("f1", debtor, "-2 - a.balance", "-2"), ...forged("f2", debtor, "a.balance + 2", "a.balance")],
  },
  {
    name: "a price changed after the order",
    rule: "ledger_4_holds",
    says: /liab:held:\S+ holds \d+, its unfinished slots are worth \d+/,
    sql: ["UPDATE playtests SET cost_per_slot_cents = cost_per_slot_cents + 1 WHERE paid_with = 'credit'"],
  },
  {
    name: "a duration changed after the order",
    rule: "ledger_4_holds",
    says: /min:held:\S+ holds 60, its unfinished slots are worth 61/,
    sql: ["UPDATE playtests SET duration_minutes = duration_minutes + 1 WHERE paid_with = 'hours'"],
  },
  {
    name: "held money without a playtest",
    rule: "ledger_4_holds",
    says: /liab:held:nothing holds 700, its playtest does not exist/,
    sql: [
      ...forged("f1", "'liab:held:nothing'", "-700", "-700"),
      "INSERT INTO ledger_accounts (id, asset, balance) VALUES ('liab:held:nothing', 'USD', -700)",
    ],
  },
  {
    name: "held minutes without a playtest",
    rule: "ledger_4_holds",
    says: /min:held:nothing holds 60, its playtest does not exist/,
    sql: granted("nobody", "min:held:nothing"),
  },
  {
    name: "an accepted slot that is not posted",
    rule: "ledger_5_once",
    says: /slot \S+ is accepted, its hold ended 0 times;.*its playtester was not paid 1000/,
    sql: [renamed("goodwill", accept)],
  },
  {
    name: "a hold that ended twice",
    rule: "ledger_5_once",
    says: /slot \S+ is accepted, its hold ended 2 times/,
    sql: [
      `UPDATE slots SET replaces = (SELECT MIN(a.id) FROM slots a WHERE a.playtest_id = slots.playtest_id AND a.status = 'accepted')
        WHERE id = ${first("slots", "status = 'open' AND playtest_id IN (SELECT id FROM playtests WHERE paid_with = 'credit')")}`,
    ],
  },
  {
    name: "an amount for the playtester that differs from the order's",
    rule: "ledger_5_once",
    says: /slot \S+ is accepted, but its playtester was not paid 1001/,
    sql: ["UPDATE playtests SET payout_cents = payout_cents + 1 WHERE paid_with = 'hours'"],
  },
  {
    name: "a completed payment that was not credited",
    rule: "ledger_5_once",
    also: ["ledger_11_invoices"],
    says: /payment \S+ is completed with 40000, but was credited 0 times/,
    sql: [renamed("settle", first("ledger_transfers", "source = 'topup:'"))],
  },
  {
    name: "a crypto payment credited with another amount",
    rule: "ledger_5_once",
    says: /payment \S+ is completed with 7501, but was credited 1 times, 7500 in all/,
    sql: ["UPDATE payments SET amount_cents = amount_cents + 1 WHERE provider = 'x402' AND status = 'completed'"],
  },
  {
    name: "a plan payment that granted no minutes",
    rule: "ledger_5_once",
    says: /payment \S+ is completed, but its plan granted no minutes/,
    sql: [renamed("admin_grant", first("ledger_transfers", "source = 'invoice:'"))],
  },
  {
    name: "a plan payment that granted its minutes twice",
    rule: "ledger_5_once",
    says: /payment \S+ granted its minutes 2 times/,
    sql: [
      `UPDATE ledger_transfers SET event_key = 'invoice:lost', source = 'invoice:', payment_id = (SELECT MAX(i.payment_id) FROM ledger_transfers i WHERE i.source = 'invoice:')
        WHERE id = ${first("ledger_transfers", "source = 'admin_grant:'")}`,
    ],
  },
  {
    name: "a change of minutes that is in no owner's history",
    rule: "ledger_6_hours",
    says: /posting \S+ changes min:balance:\S+ in the history of nobody/,
    sql: ["UPDATE ledger_transfers SET owner_id = NULL WHERE source = 'admin_grant:'"],
  },
  {
    name: "a change of minutes from a source that histories do not show",
    rule: "ledger_6_hours",
    says: /posting \S+ changes min:balance:\S+ as goodwill:lost/,
    sql: [renamed("goodwill", first("ledger_transfers", "source = 'admin_grant:'"))],
  },
  {
    name: "minutes of an owner that does not exist",
    rule: "ledger_6_hours",
    says: /min:balance:nobody belongs to no account/,
    sql: granted("nobody", "min:balance:nobody"),
  },
  {
    name: "a processor's fee that is not posted",
    rule: "ledger_7_processors",
    says: /assets:processor:sandbox holds \d+, its payments are worth \d+/,
    sql: [
      `UPDATE payments SET fee_cents = fee_cents + 30 WHERE id = ${first("payments", "provider = 'sandbox' AND status = 'completed'")}`,
    ],
  },
  {
    name: "a processor without payments",
    rule: "ledger_7_processors",
    says: /assets:processor:elsewhere holds 700, its payments are worth 0/,
    sql: forged("f1", "'assets:processor:elsewhere'", "700", "NULL"),
  },
  {
    name: "a deposit that is not posted",
    rule: "ledger_8_deposits",
    says: /deposit base:0x1 is worth 5, but not posted; assets:crypto:base:USDC holds/,
    sql: [
      `INSERT INTO crypto_deposits (chain, tx_hash, tx_index, currency, receiver, amount_atomic, owner_id, payment_id, value_cents, status, seen_at)
        VALUES ('base', '0x1', 0, 'USDC', '0x2', '5', 'o', 'p', 5, 'credited', 1)`,
    ],
  },
  {
    name: "a deposit whose value differs from its posting",
    rule: "ledger_8_deposits",
    says: /assets:crypto:base:USDC holds \d+, its deposits are worth \d+/,
    sql: ["UPDATE crypto_deposits SET value_cents = value_cents - 1 WHERE status = 'credited'"],
  },
  {
    name: "money in suspense whose deposit is marked as credited",
    rule: "ledger_8_deposits",
    says: /liab:suspense:\S+ holds 1850, its unmatched deposits are worth 0/,
    sql: ["UPDATE crypto_deposits SET status = 'credited' WHERE status = 'suspense'"],
  },
  {
    name: "a deposit that is neither credited nor in suspense",
    rule: "ledger_8_deposits",
    says: /deposit base:0x\S+ is lost/,
    unguard: "ALTER TABLE crypto_deposits DROP CONSTRAINT crypto_deposits_status_check",
    sql: ["UPDATE crypto_deposits SET status = 'lost' WHERE status = 'credited'"],
  },
  {
    name: "crypto credited without a deposit",
    rule: "ledger_8_deposits",
    says: /transfer crypto:base:0x\S+ is of no deposit/,
    sql: ["DELETE FROM crypto_deposits WHERE status = 'credited'"],
  },
  {
    name: "a transfer edited so that all sums still match",
    rule: "ledger_9_immutable",
    says: /liab:credit:\S+ has a gap in its history at -\d+/,
    sql: [
      "UPDATE ledger_accounts SET balance = balance - 100 WHERE id IN (SELECT p.account_id FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id WHERE t.source = 'goodwill:')",
      "UPDATE ledger_postings SET amount = amount + CASE WHEN amount < 0 THEN -100 ELSE 100 END WHERE transfer_id IN (SELECT id FROM ledger_transfers WHERE source = 'goodwill:')",
    ],
  },
  {
    name: "a transfer without its postings",
    rule: "ledger_9_immutable",
    says: /transfer \S+ has lost its postings/,
    sql: [
      "UPDATE ledger_accounts SET balance = balance + 2500 WHERE id IN (SELECT p.account_id FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id WHERE t.source = 'goodwill:')",
      "DELETE FROM ledger_postings WHERE transfer_id IN (SELECT id FROM ledger_transfers WHERE source = 'goodwill:')",
    ],
  },
  {
    name: "a posting with another time than its transfer",
    rule: "ledger_9_immutable",
    says: /posting \S+ has another time than its transfer/,
    sql: ["UPDATE ledger_postings SET created_at = created_at + 1 WHERE account_id = 'revenue:platform'"],
  },
  {
    name: "a posted acceptance of a slot that is expired",
    rule: "ledger_10_causes",
    says: /slot \S+ is expired, but posted as accept:/,
    sql: [
      `UPDATE slots SET status = 'expired' WHERE id = (SELECT SUBSTR(event_key, 8) FROM ledger_transfers WHERE id = ${accept})`,
    ],
  },
  {
    name: "a refund of a slot that does not exist",
    rule: "ledger_10_causes",
    says: /transfer slot_refund:lost belongs to a slot that does not exist/,
    sql: [renamed("slot_refund", first("ledger_transfers", "source = 'goodwill:'"))],
  },
  {
    name: "a posted order that does not exist",
    rule: "ledger_10_causes",
    says: /transfer order:lost belongs to an order that was not paid in this way/,
    sql: [renamed("order", first("ledger_transfers", "source = 'goodwill:'"))],
  },
  {
    name: "an order that is not posted",
    rule: "ledger_10_causes",
    also: ["ledger_5_once"],
    says: /playtest \S+ was paid with credit, but not posted/,
    sql: [renamed("goodwill", first("ledger_transfers", "source = 'order:'"))],
  },
  {
    name: "an order paid by a payment that failed",
    rule: "ledger_10_causes",
    says: /payment \S+ is failed, but posted as order:/,
    sql: ["UPDATE payments SET status = 'failed' WHERE provider = 'credit'"],
  },
  {
    name: "crypto credited for a payment that is pending",
    rule: "ledger_10_causes",
    says: /payment \S+ is pending, but posted as crypto:/,
    sql: ["UPDATE payments SET status = 'pending' WHERE provider = 'x402' AND status = 'completed'"],
  },
  {
    name: "a payout whose amount differs from its posting",
    rule: "ledger_10_causes",
    says: /payout \S+ is completed with 601, but 600 is posted/,
    sql: ["UPDATE payouts SET amount_cents = amount_cents + 1 WHERE status = 'completed'"],
  },
  {
    name: "a posted payout that does not exist",
    rule: "ledger_10_causes",
    says: /transfer withdraw:\S+ belongs to a payout that does not exist/,
    sql: ["DELETE FROM payouts WHERE status = 'failed'"],
  },
  {
    name: "a posted chargeback that does not exist",
    rule: "ledger_10_causes",
    also: ["ledger_7_processors"],
    says: /payment \S+ had 0 reversed, but 6000 is posted/,
    sql: ["DELETE FROM payment_reversals WHERE kind = 'dispute'"],
  },
  {
    name: "a transfer of an unknown kind",
    rule: "ledger_10_causes",
    says: /transfer gift:lost is of an unknown kind/,
    sql: [renamed("gift", first("ledger_transfers", "source = 'goodwill:'"))],
  },
  {
    name: "a removed credit note",
    rule: "ledger_11_invoices",
    also: ["ledger_12_invoice_numbers"],
    says: /payment \S+ brought 0, its invoices come to 6000/,
    sql: ["DELETE FROM billing_documents WHERE kind = 'credit_note'"],
  },
  {
    name: "an invoice with another total",
    rule: "ledger_11_invoices",
    says: /payment \S+ brought \d+, its invoices come to \d+;.* is stored with a total of \d+, which it does not state/,
    sql: [
      `UPDATE billing_documents SET total_cents = total_cents - 1 WHERE id = ${first("billing_documents", "kind = 'invoice'")}`,
    ],
  },
  {
    name: "an invoice that states another total",
    rule: "ledger_11_invoices",
    says: /document PT-\S+ is stored with a total of \d+, which it does not state/,
    sql: [
      `UPDATE billing_documents SET document = REPLACE(document, '"totalCents":', '"totalCents":9') WHERE id = ${first("billing_documents", "kind = 'invoice'")}`,
    ],
  },
  {
    name: "a number that was left out",
    rule: "ledger_12_invoice_numbers",
    says: /series PT-\d+ has \d+ documents up to number \d+/,
    sql: ["UPDATE invoice_numbers SET last = last + 1 WHERE issuer = 'PT'"],
  },
  {
    name: "an invoice whose number was changed",
    rule: "ledger_12_invoice_numbers",
    says: /document PT-lost is stored as PT-\d{4}-0\d+/,
    sql: [`UPDATE billing_documents SET number = 'PT-lost' WHERE id = ${first("billing_documents", "kind = 'invoice'")}`],
  },
  {
    name: "a budget that counts more than was entered",
    rule: "ledger_13_budget_uses",
    says: /budget b1 differs from its entries by 5 cents, 0 minutes and 0 slots/,
    sql: [budget, "INSERT INTO budget_uses (budget_id, starts_at, cents, minutes, slots, alerted) VALUES ('b1', 0, 5, 0, 0, 0)"],
  },
  {
    name: "an order that a budget counts at another price",
    rule: "ledger_14_budget_entries",
    says: /order \S+ is counted as 5 cents and 0 minutes, and took \d{4,} and 0/,
    sql: [budget, ...countedBy("spend", 5, first("playtests", "paid_with = 'credit'"), "NULL")],
  },
  {
    name: "a refund that a budget counts and the order did not get",
    rule: "ledger_14_budget_entries",
    says: /order \S+ refunded 7 cents and 0 minutes to a budget, and \d+ and \d+ in all/,
    sql: [budget, ...countedBy("refund", -7, first("playtests", "paid_with = 'credit'"), "NULL")],
  },
  {
    name: "a completed payment that a budget does not count any more",
    rule: "ledger_14_budget_entries",
    says: /payment \S+ is counted as -5 cents while it is completed/,
    sql: [budget, ...countedBy("release", -5, "NULL", first("payments", "status = 'completed' AND purpose = 'credit'"))],
  },
  {
    name: "an entry of a budget about nothing",
    rule: "ledger_14_budget_entries",
    says: /entry e1 is about nothing that exists/,
    sql: [budget, ...countedBy("spend", 5, "'nothing'", "NULL")],
  },
];

const triggers = [...initial.statements, ...invoicing.statements].flatMap((statement) =>
  typeof statement === "object" && "sqlite" in statement ? [statement.sqlite] : [],
);

/** Corrupts the ledger. The triggers that protect it are removed for that and created again. */
export async function corrupt(tx: Query, { variant }: Store["dialect"], { unguard, sql }: Corruption): Promise<void> {
  if (unguard) await tx.run(unguard);
  const guarded = variant === "sqlite" ? triggers : [];
  for (const trigger of guarded) await tx.run(`DROP TRIGGER ${/TRIGGER (\w+)/.exec(trigger)![1]}`);
  for (const statement of sql) if ((await tx.run(statement)) === 0) throw new Error(`no row was changed by ${statement}`);
  for (const trigger of guarded) await tx.run(trigger);
}
