import type { Data } from "../../../src/contract/index.ts";
import { countryName } from "../../../src/contract/text/country.ts";
import type { Config } from "../../config/schema.ts";
import { usd } from "../../lib/money.ts";
import type { PaymentRow } from "../store.ts";
import { netOf, type TaxRule, taxRuleFor } from "./tax-rules.ts";

/** What a document is. A cancellation takes back a credit note, in whole or in part. */
export type DocumentKind = "invoice" | "credit_note" | "cancellation";

/**
 * The contents of an invoice, a credit note or its cancellation, which never change after it is issued, for example if a name or a setting
 * changes. Amounts are in cents. Documents of earlier versions are invoices without the fields that may be missing.
 */
export interface InvoiceDocument {
  kind?: DocumentKind;
  number: string;
  issuedAt: number;
  paidAt: number;
  seller: Party;
  buyer: Party;
  lines: { description: string; units?: Units; cents: number }[];
  totalCents: number;
  /** Absent: the document says nothing about tax. */
  tax?: TaxRule & { netCents: number; taxCents: number };
  currency: "USD";
  /** What a plan was paid for. */
  period?: Period;
  /** The invoice that is credited, or the credit notes that are cancelled. */
  about?: Reference[];
  paymentId: string;
  paidBy: string;
  reference: string;
}

/** How many of the same a line is for, and what each of them costs. */
export interface Units {
  count: number;
  cents: number;
}

/** In milliseconds, without the end. */
export interface Period {
  from: number;
  to: number;
}

/** The contents of a stored document. */
export const documentOf = ({ document }: { document: string }): InvoiceDocument => JSON.parse(document);

export interface Reference {
  number: string;
  issuedAt: number;
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

/** What is known of who pays: the account, and what they entered for their invoices. */
export interface BuyerFacts {
  displayName: string;
  companyName: string;
  email: string;
  details: { name: string | null; address: string | null; country: string | null; taxNumber: string | null };
}

export const invoiceNumber = (series: string, year: number, sequence: number) =>
  `${series}-${year}-${String(sequence).padStart(6, "0")}`;

/** The series in which a document of this kind is numbered. */
export const seriesOf = ({ series, creditNoteSeries }: Config["invoices"], kind: DocumentKind): string =>
  kind === "invoice" ? series : (creditNoteSeries ?? `${series}-CN`);

/** The names of payment methods other than real cards. */
const meansOfPayment: Partial<Record<PaymentRow["provider"], string>> = {
  sandbox: "Card (sandbox: no real money moved)",
  x402: "Crypto (x402)",
};

/** The lines below the address of a party. */
export const factLines = ({ country, taxNumber }: { country: string | null; taxNumber: string | null }): string[] => [
  ...(country === null ? [] : [countryName(country)]),
  ...(taxNumber === null ? [] : [`Tax number: ${taxNumber}`]),
];

/** Who buys, on documents. Without details of their own, the company and the contact of the account. */
export function buyerOf({ displayName, companyName, email, details }: BuyerFacts): Party {
  const name = details.name ?? companyName;
  const address = (details.address ?? "").split("\n").filter((line) => line.trim() !== "");
  return {
    name,
    lines: [...(details.name !== null || displayName === name ? [] : [displayName]), ...address, ...factLines(details), email],
  };
}

/** The unit price as a part of a line, if it gives what was paid: a deposit in crypto may be larger than the price. */
export const unitsOfTotal = (units: Units | undefined, cents: number): { units?: Units } =>
  units && units.count * units.cents === cents ? { units } : {};

/** A unit price as documents show it. */
export const unitPrice = ({ count, cents }: Units): string => `${count} × ${usd(cents)}`;

interface InvoiceFacts {
  number: string;
  issuedAt: number;
  payment: PaymentRow;
  period: Period | undefined;
  /** What was ordered, if the payment is for an order. */
  units: Units | undefined;
  settings: Config["invoices"];
  seller: Party;
  buyer: BuyerFacts;
}

export function composeInvoice({
  number,
  issuedAt,
  payment,
  period,
  units,
  settings,
  seller,
  buyer,
}: InvoiceFacts): InvoiceDocument {
  const cents = payment.amount_cents;
  const rule = taxRuleFor(settings, buyer.details);
  const paidAt = payment.completed_at ?? payment.created_at;
  return {
    kind: "invoice",
    number,
    issuedAt,
    paidAt,
    seller,
    buyer: buyerOf(buyer),
    lines: [{ description: payment.description ?? "Playtest credit", ...unitsOfTotal(units, cents), cents }],
    totalCents: cents,
    ...(rule && { tax: taxed(rule, { before: 0, after: cents }) }),
    currency: "USD",
    ...(period && { period }),
    paymentId: payment.id,
    paidBy: meansOfPayment[payment.provider] ?? "Card",
    reference: payment.external_id,
  };
}

/** Why money went back, or came back after that. */
export type ReversalSource = "dispute" | "card_refund" | "dispute_won" | "refund_failed";

const reasons: Record<ReversalSource, { kind: DocumentKind; says: string }> = {
  dispute: { kind: "credit_note", says: "Chargeback: the amount was returned to the card after a dispute" },
  card_refund: { kind: "credit_note", says: "Refund to the card" },
  dispute_won: { kind: "cancellation", says: "Dispute decided: the amount that was charged back is paid again" },
  refund_failed: { kind: "cancellation", says: "Refund returned by the bank: the amount is paid again" },
};

export const kindOf = (source: ReversalSource): DocumentKind => reasons[source].kind;

interface ReversalFacts {
  number: string;
  issuedAt: number;
  invoice: InvoiceDocument;
  about: Reference[];
  source: ReversalSource;
  cents: number;
  /** How much of the invoice was credited before. */
  before: number;
}

/** A credit note for what goes back of an invoice, or its cancellation. The parties and the tax are those of the invoice. */
export function composeReversal({ number, issuedAt, invoice, about, source, cents, before }: ReversalFacts): InvoiceDocument {
  const { kind, says } = reasons[source];
  const { tax, period: _, ...same } = invoice;
  const after = kind === "credit_note" ? before + cents : before - cents;
  return {
    ...same,
    kind,
    number,
    issuedAt,
    lines: [{ description: says, cents }],
    totalCents: cents,
    ...(tax && { tax: taxed(tax, { before: Math.min(before, after), after: Math.max(before, after) }) }),
    about,
  };
}

/**
 * Net and tax of the part of a payment between two sums. By sums, because parts that were rounded one by one would not add up to those of
 * the whole.
 */
function taxed({ name, rate, note }: TaxRule, { before, after }: { before: number; after: number }) {
  const netCents = netOf(after, rate) - netOf(before, rate);
  return { name, rate, note, netCents, taxCents: after - before - netCents };
}
