import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { setIssued } from "../../ledger/invoice-check-queries.ts";
import * as payments from "../store.ts";
import { sellerOf } from "./index.ts";
import {
  type BuyerFacts,
  composeInvoice,
  composeReversal,
  type DocumentKind,
  documentOf,
  type InvoiceDocument,
  invoiceNumber,
  kindOf,
  type Period,
  type ReversalSource,
  seriesOf,
} from "./rules.ts";
import * as documents from "./store.ts";

/**
 * Issues the invoice of a payment that just completed, in the transaction that completes it: whatever was paid has an invoice, in the order
 * of payments and without gaps. `period` is what a plan was paid for.
 */
export async function issueInvoice(tx: Tx, payment: payments.PaymentRow, period?: Period): Promise<documents.DocumentRow> {
  const issuedAt = payment.completed_at ?? payment.created_at;
  const facts = {
    issuedAt,
    payment,
    period,
    units: await documents.unitsOf(tx, payment),
    settings: tx.config.invoices,
    seller: sellerOf(tx.config),
    buyer: await buyerFacts(tx, payment.owner_id),
  };
  const entry = { id: payment.id, event_key: `invoice:${payment.id}`, payment, kind: "invoice", issuedAt } as const;
  return issue(tx, { ...entry, total: payment.amount_cents }, (number) => composeInvoice({ ...facts, number }));
}

interface Reversal {
  source: ReversalSource;
  /** The key of the transfer that moved the money. */
  eventKey: string;
  cents: number;
  at: number;
}

/** Issues the credit note for money of a payment that went back, or the cancellation of one when it came back after all. */
export async function issueReversal(
  tx: Tx,
  payment: payments.PaymentRow,
  { source, eventKey, cents, at }: Reversal,
): Promise<void> {
  if (cents === 0) return;
  const invoice = (await documents.invoiceOf(tx, payment.id)) ?? (await issueInvoice(tx, payment));
  const earlier = await documents.reversalsOf(tx, payment.id);
  const kind = kindOf(source);
  const facts = {
    issuedAt: at,
    invoice: documentOf(invoice),
    about: (kind === "credit_note" ? [invoice] : cancelledBy(eventKey, source, earlier)).map(({ number, created_at }) => ({
      number,
      issuedAt: created_at,
    })),
    source,
    cents,
    before: earlier.reduce((sum, { total_cents }) => sum - total_cents, 0),
  };
  const id = tx.newId();
  const total = kind === "credit_note" ? -cents : cents;
  const entry = { id, event_key: eventKey, payment, kind, issuedAt: at, total };
  await issue(tx, entry, (number) => composeReversal({ ...facts, number }));
}

const undone: Partial<Record<ReversalSource, string>> = { dispute_won: "dispute:", refund_failed: "card_refund:" };

/** The credit notes of what came back: those of the same dispute or refund. A dispute may have another id than when it was recorded by hand. */
function cancelledBy(
  eventKey: string,
  source: ReversalSource,
  earlier: readonly documents.DocumentRow[],
): readonly documents.DocumentRow[] {
  const taken = undone[source]!;
  const notes = earlier.filter(({ kind, event_key }) => kind === "credit_note" && event_key.startsWith(taken));
  const same = notes.filter(({ event_key }) => event_key === taken + eventKey.slice(source.length + 1));
  return same.length > 0 ? same : notes;
}

interface Entry extends Pick<documents.DocumentRow, "id" | "event_key"> {
  payment: payments.PaymentRow;
  kind: DocumentKind;
  issuedAt: number;
  total: number;
}

async function issue(
  tx: Tx,
  { payment, issuedAt, total, ...rest }: Entry,
  compose: (number: string) => InvoiceDocument,
): Promise<documents.DocumentRow> {
  const issuer = seriesOf(tx.config.invoices, rest.kind);
  const year = new Date(issuedAt).getUTCFullYear();
  const sequence = await documents.nextSequence(tx, issuer, year);
  const number = invoiceNumber(issuer, year, sequence);
  const row: documents.DocumentRow = {
    ...rest,
    owner_id: payment.owner_id,
    payment_id: payment.id,
    issuer,
    year,
    sequence,
    number,
    total_cents: total,
    document: JSON.stringify(compose(number)),
    created_at: issuedAt,
  };
  await documents.insert(tx, row);
  return row;
}

/** Who pays, as of now: their account and what they entered for invoices. */
export async function buyerFacts(q: Query, ownerId: string): Promise<BuyerFacts> {
  const owner = (await users.find(q, ownerId))!;
  const entered = await documents.findDetails(q, ownerId);
  return {
    displayName: owner.display_name,
    companyName: owner.company_name,
    email: owner.email,
    details: {
      name: entered?.name ?? null,
      address: entered?.address ?? null,
      country: entered?.country ?? null,
      taxNumber: entered?.tax_number ?? null,
    },
  };
}

const atOnce = 100;

/**
 * Issues what an earlier version left without a document: an invoice for each payment in the order of payments, then a credit note for
 * what was returned. Runs before a server answers, so that no new payment gets a number before them.
 */
export async function issueMissing(deps: Deps): Promise<void> {
  let count = 0;
  for (let more = true; more; ) {
    const issued = await deps.store.write(async (tx) => {
      const found = await documents.paymentsWithoutInvoice(tx, atOnce);
      for (const { id } of found) await issueInvoice(tx, (await payments.find(tx, id))!);
      return found.length;
    });
    count += issued;
    more = issued === atOnce;
  }
  const reversed = await deps.store.write(async (tx) => {
    const found = await documents.reversalsWithoutDocument(tx);
    for (const { payment_id, event_key, cents, created_at } of found) {
      const source = event_key.slice(0, event_key.indexOf(":")) as ReversalSource;
      const payment = (await payments.find(tx, payment_id))!;
      await issueReversal(tx, payment, { source, eventKey: event_key, cents: Math.abs(cents), at: created_at });
    }
    await setIssued(tx);
    return found.length;
  });
  if (count + reversed > 0) deps.log.info({ invoices: count, creditNotes: reversed }, "issued the invoices of earlier payments");
}
