import type { Query } from "../database/port.ts";
import type { Rule } from "./check-rule.ts";

const pending = "invoices_pending";

/** Whether payments of an earlier version wait for their invoices, which the next start of a server issues. */
export const arePending = async (q: Query): Promise<boolean> =>
  (await q.one("SELECT 1 AS found FROM settings WHERE name = ?", pending)) !== undefined;

export const setIssued = (tx: Query) => tx.run("DELETE FROM settings WHERE name = ?", pending);

const help =
  "An invoice or credit note is missing, or something other than this program changed one, or the money it is about. First stop the server and make a copy of the database as it is. Compare it with the last good backup to find out when it changed. Then correct it, or restore that backup with `playtest serve restore`.";

/** Whether a document, which is stored as JSON, has this text. */
const states = (text: string) => `(REPLACE(document, ${text}, '') <> document)`;
const digits = "CAST(sequence AS TEXT)";
/** The number that belongs to a place in a series. */
const numbered = `issuer || '-' || CAST(year AS TEXT) || '-' || CASE WHEN LENGTH(${digits}) < 6 THEN SUBSTR('000000' || ${digits}, LENGTH(${digits}) + 1) ELSE ${digits} END`;

/** What each payment brought: what arrived by card or crypto, less what went back. */
const received = `SELECT t.payment_id, x.amount AS received, 0 AS invoiced FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
    WHERE t.source IN ('topup:', 'subscription:', 'dispute:', 'dispute_won:', 'card_refund:', 'refund_failed:') AND x.account_id LIKE 'assets:processor:%'
  UNION ALL SELECT t.payment_id, -x.amount, 0 FROM ledger_transfers t JOIN ledger_postings x ON x.transfer_id = t.id
    WHERE t.source IN ('crypto:', 'resolve:') AND x.account_id LIKE 'liab:credit:%'`;

export const invoiceTotals: Rule = {
  name: "ledger_11_invoices",
  promise: "the invoices less the credit notes are the money that was received, for each payment and so in all",
  help,
  sql: `SELECT 'payment ' || payment_id AS id, 'brought ' || CAST(SUM(received) AS TEXT) || ', its invoices come to ' || CAST(SUM(invoiced) AS TEXT) AS detail
      FROM (${received} UNION ALL SELECT payment_id, 0, total_cents FROM billing_documents) AS sums
      GROUP BY payment_id HAVING SUM(received) <> SUM(invoiced)
    UNION ALL SELECT 'document ' || number, 'is stored with a total of ' || CAST(total_cents AS TEXT) || ', which it does not state' FROM billing_documents
      WHERE kind <> 'void' AND NOT ${states("'\"totalCents\":' || CAST(ABS(total_cents) AS TEXT) || ','")}`,
};

export const invoiceNumbers: Rule = {
  name: "ledger_12_invoice_numbers",
  promise: "the numbers of invoices and credit notes have no gaps",
  help,
  sql: `SELECT 'series ' || issuer || '-' || CAST(year AS TEXT) AS id, 'has ' || CAST(count AS TEXT) || ' documents up to number ' || CAST(last AS TEXT) AS detail FROM (
        SELECT n.issuer, n.year, n.last, (SELECT COUNT(*) FROM billing_documents d WHERE d.issuer = n.issuer AND d.year = n.year AND d.sequence BETWEEN 1 AND n.last) AS count
        FROM invoice_numbers n) AS series WHERE count <> last
    UNION ALL SELECT 'document ' || d.number, 'is not counted in its series' FROM billing_documents d WHERE NOT EXISTS (
        SELECT 1 FROM invoice_numbers n WHERE n.issuer = d.issuer AND n.year = d.year AND d.sequence <= n.last)
    UNION ALL SELECT 'document ' || number, 'is stored as ' || ${numbered} FROM billing_documents WHERE number <> ${numbered}
    UNION ALL SELECT 'document ' || number, 'states another number' FROM billing_documents
      WHERE NOT ${states(`'"number":"' || REPLACE(REPLACE(number, '\\', '\\\\'), '"', '\\"') || '"'`)}`,
};
