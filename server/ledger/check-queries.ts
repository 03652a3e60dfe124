import { bindingSessionMs } from "../../src/contract/order-body.ts";
import { budgetEntries, budgetUses } from "./budget-check-queries.ts";
import type { Rule } from "./check-rule.ts";
import { invoiceNumbers, invoiceTotals } from "./invoice-check-queries.ts";

const holding = "('open', 'reserved', 'submitted', 'blocked', 'publishing')";
const withoutCard = "('x402', 'credit', 'playtest_hours')";
const arrived = "('completed', 'disputed', 'refunded')";
const text = (column: string) => `CAST(${column} AS TEXT)`;
const sumOf = (account: string) =>
  `COALESCE((SELECT SUM(own.amount) FROM ledger_postings own WHERE own.account_id = ${account}), 0)`;
const posted = (key: string) => `EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.event_key = ${key})`;
/** The part of an account's id after its prefix. */
const tail = (prefix: string, column = "account_id") => `SUBSTR(${column}, ${prefix.length + 1})`;
const isCredit = (column: string) => `(${column} LIKE 'liab:%' OR ${column} LIKE 'min:balance:%' OR ${column} LIKE 'min:held:%')`;
const isDebit = (column: string) => `(${column} LIKE 'assets:receivable:%' OR ${column} LIKE 'min:receivable:%')`;
const isKept = (column: string) => `(${isCredit(column)} OR ${isDebit(column)})`;
const either = (...queries: string[]) => queries.join("\n UNION ALL ");

const keep = "First stop the server and make a copy of the database as it is.";
const restore = `${keep} Compare it with the last good backup to find out when it changed. Then correct it, or restore that backup with \`playtest serve restore\`.`;

const transfers: Rule = {
  name: "ledger_1_transfers",
  promise: "the postings of each transfer, and of each asset, sum to zero",
  help: `Money or minutes were created or lost: a posting was changed, added or removed by something other than this program. ${restore}`,
  sql: either(
    `SELECT 'transfer ' || transfer_id AS id, 'is off by ' || ${text("SUM(amount)")} AS detail FROM ledger_postings
      GROUP BY transfer_id HAVING SUM(amount) <> 0`,
    `SELECT 'transfer ' || t.id, 'posts ' || t.asset || ' to ' || p.account_id FROM ledger_postings p
      JOIN ledger_transfers t ON t.id = p.transfer_id WHERE (t.asset = 'MIN') <> (p.account_id LIKE 'min:%')`,
    `SELECT 'asset ' || asset, 'is off by ' || ${text("SUM(amount)")} FROM
      (SELECT CASE WHEN account_id LIKE 'min:%' THEN 'MIN' ELSE 'USD' END AS asset, amount FROM ledger_postings) AS assets
      GROUP BY asset HAVING SUM(amount) <> 0`,
  ),
};

const balances: Rule = {
  name: "ledger_2_balances",
  promise: "each stored balance is the sum of its postings",
  help: "The balance of this account differs from its history. The postings are authoritative: stop the server and run `playtest serve doctor --fix`, which sets the balance to their sum.",
  sql: either(
    `SELECT a.id, 'holds ' || ${text("a.balance")} || ', its postings ' || ${text(sumOf("a.id"))} AS detail
      FROM ledger_accounts a WHERE a.balance <> ${sumOf("a.id")}`,
    `SELECT p.account_id, 'has postings but no balance' FROM ledger_postings p
      WHERE ${isKept("p.account_id")} AND NOT EXISTS (SELECT 1 FROM ledger_accounts a WHERE a.id = p.account_id) GROUP BY p.account_id`,
  ),
};

const overdrafts: Rule = {
  name: "ledger_3_overdrafts",
  promise: "no balance was ever below zero",
  help: `More was spent than was available, or a receivable was settled twice, even if only briefly. Look at this account's postings around that time. ${restore}`,
  sql: either(
    `SELECT account_id AS id, 'was overdrawn by ' || ${text("MAX(ABS(balance_after))")} AS detail FROM ledger_postings
      WHERE (balance_after > 0 AND ${isCredit("account_id")}) OR (balance_after < 0 AND ${isDebit("account_id")}) GROUP BY account_id`,
  ),
};

const unfinished = `(SELECT COUNT(*) FROM slots s WHERE s.playtest_id = p.id AND s.status IN ${holding})`;
const strayHold = (prefix: string) =>
  `SELECT account_id, 'holds ' || ${text("-SUM(amount)")} || ', its playtest does not exist' FROM ledger_postings p WHERE account_id LIKE '${prefix}%'
    AND NOT EXISTS (SELECT 1 FROM playtests own WHERE own.id = ${tail(prefix)}) GROUP BY account_id HAVING SUM(amount) <> 0`;

const holds: Rule = {
  name: "ledger_4_holds",
  promise: "each playtest holds the price of its unfinished slots",
  help: `A slot ended without a payout or refund of its price, or its price was paid out or refunded before the slot ended. The owner or the playtester has lost money. ${restore}`,
  sql: either(
    `SELECT id, 'holds ' || ${text("held")} || ', its unfinished slots are worth ' || ${text("worth")} AS detail FROM (
        SELECT 'liab:held:' || p.id AS id, -${sumOf("'liab:held:' || p.id")} AS held,
          CASE WHEN p.paid_with = 'credit' THEN p.cost_per_slot_cents ELSE 0 END * ${unfinished} AS worth FROM playtests p
        UNION ALL SELECT 'min:held:' || p.id, -${sumOf("'min:held:' || p.id")},
          CASE WHEN p.paid_with = 'hours' THEN p.duration_minutes * p.player_count ELSE 0 END * ${unfinished} FROM playtests p) AS holds
      WHERE held <> worth`,
    strayHold("liab:held:"),
    strayHold("min:held:"),
  ),
};

const held = "((p.paid_with = 'credit' AND p.cost_per_slot_cents > 0) OR p.paid_with = 'hours')";
/** How often a slot's hold ended: by one of these transfers, or because another slot inherited it. */
const ends = `(SELECT COUNT(*) FROM ledger_transfers t WHERE t.event_key IN ('slot_refund:' || s.id, 'manual_slot_expired:' || s.id, 'reject:' || s.id,
    CASE WHEN p.paid_with = 'hours' THEN 'accept_minutes:' ELSE 'accept:' END || s.id))
  + (SELECT COUNT(*) FROM slots next WHERE next.playtest_id = s.playtest_id AND (next.replaces = s.id OR next.retry_of = s.id))`;
/** What each playtester of an accepted slot gets of its payout: its only one, or the members of its team. */
const earners = `SELECT s.id AS slot_id, COALESCE(m.user_id, s.playtester_id) AS user_id, p.payout_cents AS payout,
    CASE WHEN p.payout_cents = 0 THEN 0 ELSE COALESCE(m.share_cents, p.payout_cents) END AS cents
  FROM slots s JOIN playtests p ON p.id = s.playtest_id LEFT JOIN team_members m ON m.slot_id = s.id AND m.status = 'confirmed'
    AND EXISTS (SELECT 1 FROM teams t WHERE t.id = m.team_id AND t.status = 'complete')
  WHERE s.status = 'accepted'`;
/** How much was credited for each payment, by the kind of its provider. */
const credits = `SELECT t.payment_id, t.owner_id, CASE t.source WHEN 'topup:' THEN 'card' WHEN 'subscription:' THEN 'card' WHEN 'order:' THEN 'credit'
      WHEN 'playtest:' THEN 'playtest_hours' ELSE 'x402' END AS kind, COUNT(DISTINCT t.id) AS times, -SUM(x.amount) AS cents
    FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id WHERE x.amount < 0 AND (
      (t.source IN ('topup:', 'crypto:', 'resolve:') AND x.account_id = 'liab:credit:' || t.owner_id)
      OR (t.source = 'subscription:' AND x.account_id = 'revenue:subscription')
      OR (t.source = 'order:' AND x.account_id = 'liab:held:' || t.playtest_id)
      OR (t.source = 'playtest:' AND x.account_id = 'min:held:' || t.playtest_id))
    GROUP BY t.payment_id, t.owner_id, kind`;

const once: Rule = {
  name: "ledger_5_once",
  promise: "each accepted slot, ended hold and completed payment is posted once",
  help: `An owner paid without being credited or was credited twice, or a playtester was not paid. For a payment, the card processor or the blockchain shows what is right. ${restore}`,
  sql: either(
    `SELECT 'slot ' || id AS id, 'is ' || status || ', its hold ended ' || ${text("times")} || ' times' AS detail FROM (
        SELECT s.id, s.status, ${ends} AS times FROM slots s JOIN playtests p ON p.id = s.playtest_id WHERE ${held}) AS ended
      WHERE times <> CASE WHEN status IN ${holding} THEN 0 ELSE 1 END`,
    `SELECT 'slot ' || e.slot_id, 'is accepted, but its playtester was not paid ' || ${text("e.cents")} FROM (${earners}) e
      WHERE e.cents > 0 AND NOT EXISTS (SELECT 1 FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
        WHERE t.event_key = 'accept:' || e.slot_id AND x.account_id = 'liab:payable:' || e.user_id AND x.amount = -e.cents)`,
    `SELECT 'slot ' || e.slot_id, 'is accepted, but the shares of its team are ' || ${text("SUM(e.cents)")} || ' of ' || ${text("MAX(e.payout)")}
      FROM (${earners}) e GROUP BY e.slot_id HAVING SUM(e.cents) <> MAX(e.payout)`,
    `SELECT 'payment ' || p.id, 'is ' || p.status || ' with ' || ${text("p.amount_cents")} || ', but was credited ' || ${text("COALESCE(c.times, 0)")}
        || ' times, ' || ${text("COALESCE(c.cents, 0)")} || ' in all' FROM payments p LEFT JOIN (${credits}) c
      ON c.payment_id = p.id AND c.owner_id = p.owner_id AND c.kind = CASE WHEN p.provider IN ${withoutCard} THEN p.provider ELSE 'card' END
      WHERE p.status IN ${arrived} AND (COALESCE(c.times, 0) <> 1 OR (p.provider <> 'playtest_hours' AND c.cents <> p.amount_cents))`,
    `SELECT 'payment ' || p.id, 'is ' || p.status || ', but its plan granted no minutes' FROM payments p
      WHERE p.status IN ${arrived} AND p.purpose = 'subscription' AND NOT ${posted("'invoice:' || p.id")}`,
    `SELECT 'payment ' || payment_id, 'granted its minutes ' || ${text("COUNT(*)")} || ' times' FROM ledger_transfers
      WHERE source = 'invoice:' AND event_key NOT LIKE 'invoice:dispute_won:%' GROUP BY payment_id HAVING COUNT(*) > 1`,
  ),
};

const hours: Rule = {
  name: "ledger_6_hours",
  promise: "each change of an account's minutes is in its own hours history",
  help: `An owner's hours history does not explain their minutes. ${restore}`,
  sql: either(
    `SELECT 'posting ' || p.id AS id, 'changes ' || p.account_id || ' in the history of ' || COALESCE(t.owner_id, 'nobody') AS detail
      FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
      WHERE p.account_id LIKE 'min:balance:%' AND p.account_id <> 'min:balance:' || COALESCE(t.owner_id, '')`,
    `SELECT 'posting ' || p.id, 'changes ' || p.account_id || ' as ' || t.event_key || ', which no history shows' FROM ledger_postings p
      JOIN ledger_transfers t ON t.id = p.transfer_id WHERE p.account_id LIKE 'min:balance:%'
      AND t.source NOT IN ('invoice:', 'playtest:', 'slot_refund:', 'manual_slot_expired:', 'admin_grant:', 'chargeback:')`,
    `SELECT a.id, 'belongs to no account' FROM ledger_accounts a WHERE a.id LIKE 'min:balance:%'
      AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = ${tail("min:balance:", "a.id")})`,
  ),
};

const processors: Rule = {
  name: "ledger_7_processors",
  promise: "each card processor's account is its completed payments minus disputes, refunds and fees",
  help: `The ledger's balance at the card processor does not match its payments. In the processor's own export of payments, refunds, disputes and fees, look for one that is missing here or recorded twice. ${restore}`,
  sql: either(
    `SELECT id, 'holds ' || ${text("held")} || ', its payments are worth ' || ${text("worth")} AS detail FROM (
        SELECT 'assets:processor:' || name AS id, ${sumOf("'assets:processor:' || name")} AS held,
          COALESCE((SELECT SUM(amount_cents - fee_cents) FROM payments WHERE provider = name AND status IN ${arrived}), 0)
          - COALESCE((SELECT SUM(CASE WHEN r.state = 'taken' THEN r.cents ELSE 0 END + r.fee_cents) FROM payment_reversals r
              JOIN payments own ON own.id = r.payment_id WHERE own.provider = name), 0) AS worth
        FROM (SELECT provider AS name FROM payments WHERE provider NOT IN ${withoutCard}
          UNION SELECT ${tail("assets:processor:")} FROM ledger_postings WHERE account_id LIKE 'assets:processor:%') AS names) AS processors
      WHERE held <> worth`,
  ),
};

const depositKey = `'crypto:' || chain || ':' || tx_hash || ':' || ${text("tx_index")}`;
/** The suspense account of a deposit: that of the payment it was made for, otherwise one of its own. */
const suspenseAccount = `'liab:suspense:' || COALESCE(payment_id, ${depositKey})`;
const deposits: Rule = {
  name: "ledger_8_deposits",
  promise: "each crypto deposit that was seen is credited or in suspense, and the ledger has its value",
  help: `Crypto arrived without being credited or put in suspense, or was credited without having arrived. Look the transaction up on its chain. ${restore}`,
  sql: either(
    `SELECT 'deposit ' || chain || ':' || tx_hash AS id, 'is worth ' || ${text("value_cents")} || ', but not posted' AS detail
      FROM crypto_deposits WHERE value_cents > 0 AND NOT ${posted(depositKey)}`,
    `SELECT 'deposit ' || chain || ':' || tx_hash, 'is ' || status FROM crypto_deposits WHERE status NOT IN ('credited', 'suspense', 'refunded')`,
    `SELECT 'transfer ' || event_key, 'is of no deposit' FROM ledger_transfers WHERE source = 'crypto:'
      AND event_key NOT IN (SELECT ${depositKey} FROM crypto_deposits)`,
    `SELECT account, 'holds ' || ${text("held")} || ', its deposits are worth ' || ${text("worth")} FROM (
        SELECT account, ${sumOf("account")} AS held, COALESCE((SELECT SUM(d.value_cents) FROM crypto_deposits d
            WHERE 'assets:crypto:' || d.chain || ':' || d.currency = account AND d.status <> 'refunded'), 0)
          + COALESCE((SELECT SUM(x.amount) FROM ledger_postings x JOIN ledger_transfers t ON t.id = x.transfer_id
            WHERE x.account_id = account AND t.source NOT IN ('crypto:', 'resolve:', 'refund:')), 0) AS worth
        FROM (SELECT 'assets:crypto:' || chain || ':' || currency AS account FROM crypto_deposits
          UNION SELECT account_id FROM ledger_postings WHERE account_id LIKE 'assets:crypto:%') AS names) AS chains
      WHERE held <> worth`,
    `SELECT account, 'holds ' || ${text("held")} || ', its unmatched deposits are worth ' || ${text("worth")} FROM (
        SELECT account, -${sumOf("account")} AS held, (SELECT COALESCE(SUM(value_cents), 0)
          FROM crypto_deposits WHERE status = 'suspense' AND ${suspenseAccount} = account) AS worth
        FROM (SELECT ${suspenseAccount} AS account FROM crypto_deposits WHERE status = 'suspense'
          UNION SELECT account_id FROM ledger_postings WHERE account_id LIKE 'liab:suspense:%') AS names) AS kept
      WHERE held <> worth`,
  ),
};

/** Each stored balance before and after each posting, which must form one unbroken sequence from zero to the current balance. */
const sequence = `SELECT account_id, balance_after - amount AS level, 1 AS side FROM ledger_postings WHERE ${isKept("account_id")}
  UNION ALL SELECT account_id, balance_after, -1 FROM ledger_postings WHERE ${isKept("account_id")}
  UNION ALL SELECT account_id, SUM(amount), 1 FROM ledger_postings WHERE ${isKept("account_id")} GROUP BY account_id
  UNION ALL SELECT account_id, 0, -1 FROM ledger_postings WHERE ${isKept("account_id")} GROUP BY account_id`;

const immutable: Rule = {
  name: "ledger_9_immutable",
  promise: "no posting was changed or removed",
  help: `The history of the ledger was edited by something other than this program. ${restore}`,
  sql: either(
    `SELECT 'transfer ' || t.id AS id, 'has lost its postings' AS detail FROM ledger_transfers t
        WHERE NOT EXISTS (SELECT 1 FROM ledger_postings p WHERE p.transfer_id = t.id)`,
    `SELECT 'posting ' || p.id, 'has another time than its transfer' FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id
        WHERE p.created_at <> t.created_at`,
    `SELECT account_id, 'has a gap in its history at ' || COALESCE(${text("MIN(level)")}, 'an unknown balance') FROM (
          SELECT account_id, level FROM (${sequence}) AS line GROUP BY account_id, level HAVING SUM(side) <> 0 OR level IS NULL) AS gaps
        GROUP BY account_id`,
  ),
};

/** The id in a transfer's event key. */
const subject = "SUBSTR(t.event_key, LENGTH(t.source) + 1)";
const known = `('topup:', 'fee:', 'crypto:', 'order:', 'playtest:', 'slot_refund:', 'manual_slot_expired:', 'accept:', 'accept_minutes:', 'reject:', 'subscription:',
  'invoice:', 'admin_grant:', 'goodwill:', 'dispute:', 'dispute_fee:', 'dispute_won:', 'card_refund:', 'refund_failed:', 'settle:', 'chargeback:', 'resolve:', 'refund:',
  'revaluation:', 'withdraw:', 'withdraw_failed:')`;
const slotSources = "('accept:', 'accept_minutes:', 'slot_refund:', 'manual_slot_expired:', 'reject:')";
const reversed = "('dispute:', 'dispute_won:', 'card_refund:', 'refund_failed:')";

/** A claimed slot that its owner cancelled so shortly before its fixed time that its playtester was paid. */
const compensated = `(t.source IN ('accept:', 'accept_minutes:') AND s.status = 'cancelled' AND s.excused = 1
    AND s.ended_at < s.scheduled_at AND s.scheduled_at - s.ended_at < ${bindingSessionMs})`;

const causes: Rule = {
  name: "ledger_10_causes",
  promise: "each posting was made together with the change it explains",
  help: `A posting does not match the change it belongs to: one was saved without the other, or was changed later by something other than this program. ${restore}`,
  sql: either(
    `SELECT 'transfer ' || t.event_key AS id, 'is of an unknown kind' AS detail FROM ledger_transfers t
      WHERE t.source NOT IN ${known} OR SUBSTR(t.event_key, 1, LENGTH(t.source)) <> t.source`,
    `SELECT 'slot ' || s.id, 'is ' || s.status || ', but posted as ' || t.source FROM ledger_transfers t JOIN slots s ON s.id = ${subject}
      WHERE t.source IN ${slotSources} AND NOT ${compensated} AND s.status <> CASE t.source WHEN 'accept:' THEN 'accepted' WHEN 'accept_minutes:' THEN 'accepted'
        WHEN 'slot_refund:' THEN 'cancelled' WHEN 'reject:' THEN 'rejected' ELSE 'expired' END`,
    `SELECT 'transfer ' || t.event_key, 'belongs to a slot that does not exist' FROM ledger_transfers t
      WHERE t.source IN ${slotSources} AND NOT EXISTS (SELECT 1 FROM slots s WHERE s.id = ${subject})`,
    `SELECT 'transfer ' || t.event_key, 'belongs to an order that was not paid in this way' FROM ledger_transfers t WHERE t.source IN ('order:', 'playtest:') AND NOT EXISTS (
        SELECT 1 FROM playtests p WHERE p.id = ${subject} AND p.paid_with = CASE t.source WHEN 'order:' THEN 'credit' ELSE 'hours' END)`,
    `SELECT 'playtest ' || p.id, 'was paid with ' || p.paid_with || ', but not posted' FROM playtests p
      WHERE (p.paid_with = 'credit' AND NOT ${posted("'order:' || p.id")}) OR (p.paid_with = 'hours' AND NOT ${posted("'playtest:' || p.id")})`,
    `SELECT 'payment ' || COALESCE(p.id, t.payment_id), 'is ' || COALESCE(p.status, 'missing') || ', but posted as ' || t.event_key
      FROM ledger_transfers t LEFT JOIN payments p ON p.id = t.payment_id AND p.owner_id = t.owner_id WHERE t.payment_id IS NOT NULL
        AND (p.id IS NULL OR (p.status NOT IN ${arrived} AND NOT EXISTS (
          SELECT 1 FROM ledger_postings x WHERE x.transfer_id = t.id AND x.account_id LIKE 'liab:suspense:%')))`,
    `SELECT 'payment ' || p.id, 'had ' || ${text("COALESCE(r.cents, 0)")} || ' reversed, but ' || ${text("COALESCE(x.cents, 0)")} || ' is posted' FROM payments p
      LEFT JOIN (SELECT payment_id, SUM(cents) AS cents FROM payment_reversals WHERE state = 'taken' GROUP BY payment_id) r ON r.payment_id = p.id
      LEFT JOIN (SELECT t.payment_id, -SUM(l.amount) AS cents FROM ledger_transfers t JOIN ledger_postings l ON l.transfer_id = t.id
        WHERE t.source IN ${reversed} AND l.account_id LIKE 'assets:processor:%' GROUP BY t.payment_id) x ON x.payment_id = p.id
      WHERE COALESCE(r.cents, 0) <> COALESCE(x.cents, 0)`,
    `SELECT 'payout ' || o.id, 'is ' || o.status || ' with ' || ${text("o.amount_cents")} || ', but ' || ${text("COALESCE(x.cents, 0)")} || ' is posted' FROM payouts o
      LEFT JOIN (SELECT ${subject} AS payout, -SUM(l.amount) AS cents FROM ledger_transfers t JOIN ledger_postings l ON l.transfer_id = t.id
        WHERE t.source IN ('withdraw:', 'withdraw_failed:') AND l.account_id = 'assets:bank' GROUP BY ${subject}) x ON x.payout = o.id
      WHERE COALESCE(x.cents, 0) <> CASE o.status WHEN 'failed' THEN 0 ELSE o.amount_cents END`,
    `SELECT 'transfer ' || t.event_key, 'belongs to a payout that does not exist' FROM ledger_transfers t
      WHERE t.source IN ('withdraw:', 'withdraw_failed:') AND NOT EXISTS (SELECT 1 FROM payouts o WHERE o.id = ${subject})`,
  ),
};

export const rules: readonly Rule[] = [
  ...[transfers, balances, overdrafts, holds, once],
  ...[hours, processors, deposits, immutable, causes],
  ...[invoiceTotals, invoiceNumbers, budgetUses, budgetEntries],
];
