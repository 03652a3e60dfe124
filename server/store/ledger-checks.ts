import type { Check, Query } from "./db.ts";

/**
 * The ledger's promises, each as a query for what breaks it (server rules §21). They look only, so a running server may be
 * checked; what an order in flight changes between two of them is committed whole or not at all.
 */
interface Rule {
  name: string;
  promise: string;
  /** Finds rows `id` and `detail`: what is wrong, and how. */
  sql: string;
}

const holding = "('open', 'reserved', 'submitted', 'blocked', 'publishing')";
const amounts = (account: string) =>
  `COALESCE((SELECT SUM(own.amount) FROM ledger_postings own WHERE own.account_id = ${account}), 0)`;
const posted = (key: string) => `EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.event_key = ${key})`;
const text = (column: string) => `CAST(${column} AS TEXT)`;

const rules: readonly Rule[] = [
  {
    name: "ledger_1_transfers",
    promise: "each transfer sums to zero, within one asset",
    sql: `SELECT transfer_id AS id, 'is off by ' || ${text("SUM(amount)")} AS detail FROM ledger_postings GROUP BY transfer_id HAVING SUM(amount) <> 0
      UNION ALL SELECT t.id, 'posts ' || t.asset || ' to ' || p.account_id FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
      WHERE (t.asset = 'MIN') <> (p.account_id LIKE 'min:%')`,
  },
  {
    name: "ledger_2_balances",
    promise: "each balance is the sum of its postings",
    sql: `SELECT a.id, 'holds ' || ${text("a.balance")} || ', its postings ' || ${text(amounts("a.id"))} AS detail
      FROM ledger_accounts a WHERE a.balance <> ${amounts("a.id")}
      UNION ALL SELECT p.account_id, 'has postings but no balance' FROM ledger_postings p
      WHERE (p.account_id LIKE 'liab:%' OR p.account_id LIKE 'min:balance:%' OR p.account_id LIKE 'min:held:%')
        AND NOT EXISTS (SELECT 1 FROM ledger_accounts a WHERE a.id = p.account_id) GROUP BY p.account_id`,
  },
  {
    name: "ledger_3_overdrafts",
    promise: "no balance was ever below zero",
    sql: `SELECT account_id AS id, 'was overdrawn by ' || ${text("MAX(level)")} AS detail FROM (
        SELECT account_id, SUM(amount) OVER (PARTITION BY account_id ORDER BY created_at) AS level FROM ledger_postings
        WHERE account_id LIKE 'liab:%' OR account_id LIKE 'min:balance:%' OR account_id LIKE 'min:held:%') AS history
      WHERE level > 0 GROUP BY account_id`,
  },
  {
    name: "ledger_4_holds",
    promise: "each playtest holds the price of its unfinished slots",
    sql: `SELECT id, 'holds ' || ${text("held")} || ', its slots are worth ' || ${text("worth")} AS detail FROM (
        SELECT p.id, -${amounts("'liab:held:' || p.id")} AS held, CASE WHEN p.paid_with = 'credit' THEN p.cost_per_slot_cents ELSE 0 END
          * (SELECT COUNT(*) FROM slots s WHERE s.playtest_id = p.id AND s.status IN ${holding}) AS worth FROM playtests p
        UNION ALL SELECT p.id, -${amounts("'min:held:' || p.id")}, CASE WHEN p.paid_with = 'hours' THEN p.duration_minutes * p.player_count ELSE 0 END
          * (SELECT COUNT(*) FROM slots s WHERE s.playtest_id = p.id AND s.status IN ${holding}) FROM playtests p) AS holds
      WHERE held <> worth`,
  },
  {
    name: "ledger_5_once",
    promise: "each accepted slot, ended hold and completed payment is posted once",
    sql: `SELECT s.id, 'is accepted, but not posted' AS detail FROM slots s JOIN playtests p ON p.id = s.playtest_id
      WHERE s.status = 'accepted' AND (p.paid_with = 'credit' OR p.payout_cents > 0) AND NOT ${posted("'accept:' || s.id")}
      UNION ALL SELECT s.id, 'is accepted, but its minutes are not posted' FROM slots s JOIN playtests p ON p.id = s.playtest_id
      WHERE s.status = 'accepted' AND p.paid_with = 'hours' AND NOT ${posted("'accept_minutes:' || s.id")}
      UNION ALL SELECT s.id, 'ended ' || ${text("COUNT(*)")} || ' times' FROM slots s JOIN ledger_transfers t
        ON t.event_key IN ('accept:' || s.id, 'slot_refund:' || s.id, 'manual_slot_expired:' || s.id, 'reject:' || s.id)
      GROUP BY s.id HAVING COUNT(*) > 1
      UNION ALL SELECT p.id, 'is completed, but not posted' FROM payments p WHERE p.status = 'completed'
        AND NOT EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.payment_id = p.id)`,
  },
  {
    name: "ledger_6_hours",
    promise: "each change of an account's minutes is in its own history",
    sql: `SELECT p.id, 'changes ' || p.account_id || ' in the history of ' || COALESCE(t.owner_id, 'nobody') AS detail
      FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
      WHERE p.account_id LIKE 'min:balance:%' AND p.account_id <> 'min:balance:' || COALESCE(t.owner_id, '')`,
  },
  {
    name: "ledger_7_processors",
    promise: "each card processor's account is its completed payments less disputes, refunds and fees",
    sql: `SELECT provider AS id, 'holds ' || ${text("held")} || ', its payments are worth ' || ${text("worth")} AS detail FROM (
        SELECT provider, ${amounts("'assets:processor:' || provider")} AS held, SUM(CASE WHEN status IN ('completed', 'disputed', 'refunded') THEN amount_cents ELSE 0 END)
          - COALESCE((SELECT SUM(r.cents) FROM payment_reversals r JOIN payments own ON own.id = r.payment_id
            WHERE r.state = 'taken' AND own.provider = payments.provider), 0)
          + COALESCE((SELECT SUM(p.amount) FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
            WHERE p.account_id = 'assets:processor:' || provider AND t.source IN ('fee:', 'dispute_fee:')), 0) AS worth
        FROM payments WHERE provider IN ('sandbox', 'stripe') GROUP BY provider) AS processors
      WHERE held <> worth`,
  },
  {
    name: "ledger_8_deposits",
    promise: "each crypto deposit that was seen is credited or in suspense",
    sql: `SELECT d.chain || ':' || d.tx_hash || ':' || ${text("d.tx_index")} AS id, 'is worth ' || ${text("d.value_cents")} || ', but not posted' AS detail
      FROM crypto_deposits d WHERE d.value_cents > 0 AND d.status IN ('credited', 'suspense')
        AND NOT ${posted(`'crypto:' || d.chain || ':' || d.tx_hash || ':' || ${text("d.tx_index")}`)}`,
  },
  {
    name: "ledger_9_immutable",
    promise: "no posting was changed or removed",
    sql: `SELECT t.id, 'has lost its postings' AS detail FROM ledger_transfers t
      WHERE NOT EXISTS (SELECT 1 FROM ledger_postings p WHERE p.transfer_id = t.id)
      UNION ALL SELECT p.id, 'is not of the time of its transfer' FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
      WHERE p.created_at <> t.created_at`,
  },
  {
    name: "ledger_10_causes",
    promise: "each posting's cause happened",
    sql: `SELECT s.id, 'is ' || s.status || ', but posted as ' || t.source AS detail FROM slots s JOIN ledger_transfers t
        ON t.event_key IN ('accept:' || s.id, 'slot_refund:' || s.id, 'manual_slot_expired:' || s.id, 'reject:' || s.id)
      WHERE s.status <> CASE t.source WHEN 'accept:' THEN 'accepted' WHEN 'slot_refund:' THEN 'cancelled' WHEN 'reject:' THEN 'rejected' ELSE 'expired' END
      UNION ALL SELECT p.id, 'is ' || p.status || ', but its money was posted' FROM payments p JOIN ledger_transfers t ON t.event_key = 'topup:' || p.id
      WHERE p.status NOT IN ('completed', 'disputed', 'refunded')`,
  },
];

const shown = 3;

async function apply(q: Query, { name, promise, sql }: Rule): Promise<Check> {
  const broken = await q.all<{ id: string; detail: string }>(sql);
  if (broken.length === 0) return { name, ok: true, detail: promise };
  const first = broken.slice(0, shown).map(({ id, detail }) => `${id} ${detail}`);
  const more = broken.length > shown ? `; and ${broken.length - shown} more` : "";
  return { name, ok: false, detail: `${first.join("; ")}${more}` };
}

/** The ten invariants of the ledger, one line each. Reads every posting: seconds on a large database. */
export async function checkLedger(q: Query): Promise<Check[]> {
  const checks: Check[] = [];
  for (const rule of rules) checks.push(await apply(q, rule));
  return checks;
}

/** Sets each kept balance to the sum of its postings, which are the truth; how many were off. */
export const repairBalances = (tx: Query): Promise<number> =>
  tx.run(
    `UPDATE ledger_accounts SET balance = ${amounts("ledger_accounts.id")} WHERE balance <> ${amounts("ledger_accounts.id")}`,
  );
