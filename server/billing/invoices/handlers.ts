import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { isOfMoney, statusAt } from "../rules.ts";
import * as payments from "../store.ts";
import { composeConfirmation } from "./confirmation-rules.ts";
import { sourcesOf } from "./confirmation-store.ts";
import { sellerOf } from "./index.ts";
import { pdfReply } from "./reply.ts";
import { documentOf } from "./rules.ts";
import { buyerFacts, issueInvoice } from "./service.ts";
import * as documents from "./store.ts";
import { detailsView, invoiceView } from "./views.ts";

const fileOf = async (deps: Deps, row: documents.DocumentRow) => ({
  filename: `${row.number}.pdf`,
  bytes: await deps.printer.invoice(documentOf(row)),
});

async function printed(deps: Deps, row: documents.DocumentRow) {
  const { bytes, filename } = await fileOf(deps, row);
  return pdfReply(bytes, filename);
}

/** An invoice as a file for an email. */
export async function invoiceFile(deps: Deps, id: string) {
  const row = await deps.store.read((q) => documents.find(q, id));
  return row ? fileOf(deps, row) : null;
}

/** For a payment that a server of an earlier version completed while this one ran. */
const issued = (deps: Deps, payment: payments.PaymentRow) =>
  deps.store.write(async (tx) => (await documents.invoiceOf(tx, payment.id)) ?? (await issueInvoice(tx, payment)));

async function confirmed(q: ReadTx, payment: payments.PaymentRow) {
  const replaces = (await documents.invoiceOf(q, payment.id))?.number;
  const units = await documents.unitsOf(q, payment);
  const facts = { payment, units, replaces, seller: sellerOf(q.config), buyer: await buyerFacts(q, payment.owner_id) };
  return composeConfirmation({ ...facts, sources: await sourcesOf(q, payment) });
}

export const invoices = {
  async getInvoice(call) {
    const payment = await call.read((q) => payments.findForOwner(q, call.params.id, call.principal.userId));
    if (!payment) throw notFound();
    if (payment.completed_at === null)
      throw conflict(
        `Invoices exist only for completed payments: this payment is ${statusAt(payment, call.deps.clock.now())}. Nothing was created.`,
      );
    if (isOfMoney(payment))
      return printed(
        call.deps,
        (await call.read((q) => documents.invoiceOf(q, payment.id))) ?? (await issued(call.deps, payment)),
      );
    const confirmation = await call.read((q) => confirmed(q, payment));
    return pdfReply(await call.deps.printer.confirmation(confirmation), `order-${confirmation.orderId}.pdf`);
  },

  async listInvoices(call) {
    const page = call.page();
    const rows = await call.read((q) => documents.listForOwner(q, call.principal.userId, page));
    return call.listed(page, rows, (items) => ({ invoices: items.map(invoiceView) }));
  },

  async getInvoiceFile(call) {
    const row = await call.read((q) => documents.findForOwner(q, call.params.id, call.principal.userId));
    if (!row) throw notFound();
    return printed(call.deps, row);
  },

  getBillingDetails: (call) =>
    call.read(async (q) => ({ details: detailsView(await documents.findDetails(q, call.principal.userId)) })),

  updateBillingDetails: (call) =>
    call.commit(async (tx) => {
      const { userId } = call.principal;
      const before = detailsView(await documents.findDetails(tx, userId));
      const { name, address, country, taxNumber } = { ...before, ...call.body };
      const row = { user_id: userId, name, address, country, tax_number: taxNumber, updated_at: tx.now };
      await documents.saveDetails(tx, row);
      return { details: detailsView(row) };
    }),
} satisfies Partial<Handlers>;
