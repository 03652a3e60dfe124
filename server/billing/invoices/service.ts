import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import { isUniqueViolation, type Query } from "../../database/port.ts";
import { conflict } from "../../lib/problem.ts";
import type { PaymentRow } from "../store.ts";
import { sellerOf } from "./index.ts";
import { composeInvoice, type InvoiceDocument, invoiceNumber } from "./rules.ts";
import * as invoices from "./store.ts";

const maxTries = 20;

/**
 * The invoice of a completed payment, issued when it is first requested. Its number is assigned in the transaction that stores it, so
 * the numbers of a year have no gaps. 409 unless the payment is completed.
 */
export function createInvoices(deps: Deps): (payment: PaymentRow) => Promise<InvoiceDocument> {
  let last: Promise<unknown> = Promise.resolve();

  async function issue(payment: PaymentRow): Promise<InvoiceDocument> {
    // If another process uses the number first, or issues the same invoice, try again.
    for (let attempt = 1; ; attempt++) {
      try {
        return await deps.store.write(
          async (tx) => (await invoices.findDocument(tx, payment.id)) ?? (await insertNext(deps, tx, payment)),
        );
      } catch (error) {
        if (attempt === maxTries || !isUniqueViolation(error, "invoices")) throw error;
      }
    }
  }

  return async (payment) => {
    if (payment.status !== "completed")
      throw conflict(`Invoices exist only for completed payments: this payment is ${payment.status}. Nothing was created.`);
    const issued = await deps.store.read((q) => invoices.findDocument(q, payment.id));
    if (issued) return issued;
    // One at a time, because concurrent ones would all use the same number and fail.
    const mine = last.then(() => issue(payment));
    last = mine.catch(() => {});
    return mine;
  };
}

async function insertNext(deps: Deps, tx: Query, payment: PaymentRow): Promise<InvoiceDocument> {
  const { series } = deps.config.invoices;
  const seller = sellerOf(deps.config);
  const issuedAt = deps.clock.now();
  const year = new Date(issuedAt).getUTCFullYear();
  const sequence = (await invoices.lastSequence(tx, series, year)) + 1;
  const number = invoiceNumber(series, year, sequence);
  const owner = (await users.find(tx, payment.owner_id))!;
  const buyer = { displayName: owner.display_name, companyName: owner.company_name, email: owner.email };
  const document = composeInvoice({ number, issuedAt, payment, seller, buyer });
  const text = JSON.stringify(document);
  await invoices.insert(tx, {
    payment_id: payment.id,
    issuer: series,
    year,
    sequence,
    number,
    document: text,
    issued_at: issuedAt,
  });
  return document;
}
