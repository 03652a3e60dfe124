import { enumerated } from "./002-enumerations.ts";
import { appendOnly } from "./005-audit.ts";

/**
 * Invoices, credit notes and their cancellations, in one table: their totals add up to the money that was received. They are issued in the
 * transaction that moves the money, and never changed or removed. An earlier version issued invoices when they were first downloaded, also
 * for orders paid with credit or hours: those numbers stay used, but the invoices are void. Payments without an invoice get theirs when a
 * server starts, because its settings say who sells. The last number of a series has a row of its own, so that transactions that take the
 * next one wait for each other.
 */
export const invoicing = {
  name: "033-invoices",
  statements: [
    `CREATE TABLE billing_documents (
      id TEXT PRIMARY KEY, event_key TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL REFERENCES users (id), payment_id TEXT NOT NULL REFERENCES payments (id),
      kind TEXT NOT NULL, issuer TEXT NOT NULL, year {int} NOT NULL, sequence {int} NOT NULL, number TEXT NOT NULL, total_cents {int} NOT NULL,
      document TEXT NOT NULL, created_at {int} NOT NULL, UNIQUE (issuer, year, sequence)) {strict}`,
    "CREATE INDEX billing_documents_by_owner ON billing_documents (owner_id, created_at, id)",
    "CREATE INDEX billing_documents_by_payment ON billing_documents (payment_id, created_at, id)",
    `INSERT INTO billing_documents (id, event_key, owner_id, payment_id, kind, issuer, year, sequence, number, total_cents, document, created_at)
      SELECT p.id, 'invoice:' || p.id, p.owner_id, p.id, CASE WHEN p.provider IN ('credit', 'playtest_hours') THEN 'void' ELSE 'invoice' END,
        i.issuer, i.year, i.sequence, i.number, CASE WHEN p.provider IN ('credit', 'playtest_hours') THEN 0 ELSE p.amount_cents END, i.document, i.issued_at
      FROM invoices i JOIN payments p ON p.id = i.payment_id`,
    "CREATE TABLE invoice_numbers (issuer TEXT NOT NULL, year {int} NOT NULL, last {int} NOT NULL, PRIMARY KEY (issuer, year)) {strict}",
    "INSERT INTO invoice_numbers (issuer, year, last) SELECT issuer, year, MAX(sequence) FROM invoices GROUP BY issuer, year",
    "DROP TABLE invoices",
    // Until a server has issued them.
    "INSERT INTO settings (name, value) SELECT 'invoices_pending', 'yes' WHERE EXISTS (SELECT 1 FROM payments)",
    ...enumerated("billing_documents", { kind: ["invoice", "credit_note", "cancellation", "void"] }),
    ...appendOnly("billing_documents", "an invoice or credit note"),
    `CREATE TABLE billing_details (
      user_id TEXT PRIMARY KEY REFERENCES users (id), name TEXT, address TEXT, country TEXT, tax_number TEXT, updated_at {int} NOT NULL) {strict}`,
  ],
};
