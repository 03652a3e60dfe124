import type { Data } from "../../../src/contract/index.ts";
import type { PaymentRow } from "../store.ts";

/** The contents of an invoice, which never change after it is issued, for example if a name changes. Amounts are in cents. */
export interface InvoiceDocument {
  number: string;
  issuedAt: number;
  paidAt: number;
  seller: Party;
  buyer: Party;
  lines: { description: string; cents: number }[];
  totalCents: number;
  currency: "USD";
  paymentId: string;
  paidBy: string;
  reference: string;
}

/** A playtester's earnings and payouts of a month or year, on paper. */
export interface StatementDocument {
  statement: Data<"getStatement">["statement"];
  /** In milliseconds. */
  issuedAt: number;
  payer: Party;
  playtester: Party;
}

export interface Party {
  name: string;
  lines: string[];
}

export const invoiceNumber = (series: string, year: number, sequence: number) =>
  `${series}-${year}-${String(sequence).padStart(6, "0")}`;

/** The names of payment methods other than real cards. */
const meansOfPayment: Partial<Record<PaymentRow["provider"], string>> = {
  sandbox: "Card (sandbox: no real money moved)",
  x402: "Crypto (x402)",
  credit: "Account credit",
  playtest_hours: "Playtest hours",
};

interface Facts {
  number: string;
  issuedAt: number;
  payment: PaymentRow;
  seller: Party;
  buyer: { displayName: string; companyName: string; email: string };
}

export function composeInvoice({ number, issuedAt, payment, seller, buyer }: Facts): InvoiceDocument {
  const contact = buyer.displayName === buyer.companyName ? [] : [buyer.displayName];
  return {
    number,
    issuedAt,
    paidAt: payment.completed_at ?? payment.created_at,
    seller,
    buyer: { name: buyer.companyName, lines: [...contact, buyer.email] },
    lines: [{ description: payment.description ?? "Playtest credit", cents: payment.amount_cents }],
    totalCents: payment.amount_cents,
    currency: "USD",
    paymentId: payment.id,
    paidBy: meansOfPayment[payment.provider] ?? "Card",
    reference: payment.external_id,
  };
}
