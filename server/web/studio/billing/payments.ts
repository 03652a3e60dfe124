import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import type { PaymentStatus } from "../../../../src/contract/states/index.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { moreOf } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { command } from "../parts.ts";
import type { StudioContext, StudioPage } from "../types.ts";

type Payment = Data<"listPayments">["payments"][number];
type Invoice = Data<"listInvoices">["invoices"][number];

const states = {
  pending: ["Not paid yet", "act"],
  completed: ["Paid", "good"],
  failed: ["Failed", ""],
  cancelled: ["Cancelled", ""],
  refunded: ["Refunded", ""],
  disputed: ["Disputed", "act"],
} as const satisfies Record<PaymentStatus, readonly [string, string]>;

const badge = ({ status }: Payment): Markup => html`<span class="badge ${states[status][1]}">${states[status][0]}</span>`;

const providers: Readonly<Record<string, string>> = {
  credit: "with credit",
  playtest_hours: "with playtest hours",
  x402: "with crypto",
};
const byProvider = ({ provider }: Payment): string => (provider === null ? "" : (providers[provider] ?? "by card"));

const document = studio.payment.below("document");

/** What can be downloaded of a payment: the invoice, or the confirmation of an order. */
function documentLink({ account }: StudioContext, { id, document: kept }: Payment): Markup | false {
  if (!kept || account.instance !== null) return false;
  const what = kept.kind === "invoice" ? `Invoice${kept.number === null ? "" : ` ${kept.number}`}` : "Order confirmation";
  return html`<a href="${document(id)}">${what} <span class="soft">(PDF)</span></a>`;
}

export const paymentRow = (context: StudioContext, payment: Payment): Markup =>
  html`<li class="row">${badge(payment)}<div><p class="what"><a href="${studio.payment(payment.id)}">${usd(payment.amountCents)} ${byProvider(payment)}</a></p><p class="soft">${time(payment.createdAt)}</p></div>
<p class="when">${documentLink(context, payment)}</p></li>`;

const kinds = { invoice: "Invoice", credit_note: "Credit note", cancellation: "Cancellation of a credit note" } as const;
const invoiceFile = studio.billing.below("invoices/:id/file");

/** The invoices and credit notes, newest first; nothing from a server that lists none. */
export async function invoicesOf(context: StudioContext): Promise<Markup | false> {
  const found = await ifOffered(context.call("listInvoices", { query: { cursor: context.query.get("invoices") ?? undefined } }));
  const all = found?.data.invoices ?? [];
  if (all.length === 0) return false;
  const row = ({ id, kind, number, issuedAt, totalCents }: Invoice) =>
    html`<li class="row"><span class="badge">${kinds[kind]}</span><div><p class="what">${context.account.instance === null ? html`<a href="${invoiceFile(id)}">${number} <span class="soft">(PDF)</span></a>` : number}</p><p class="soft">${time(issuedAt)}</p></div><p class="when">${usd(totalCents)}</p></li>`;
  return html`<section id="invoices"><h2>Invoices</h2><ul class="rows">${all.map(row)}</ul>${moreOf("invoices", studio.billing(), found?.meta.cursor, "Show older invoices")}</section>`;
}

/** `/studio/billing/payments/ID`: one payment, where its receipt leads. */
async function paymentPage(context: StudioContext): Promise<PageContent> {
  const { payment: one } = (await context.call("getPayment", { params: { id: context.id } })).data;
  const link = documentLink(context, one);
  const body = html`<p class="amount">${usd(one.amountCents)}</p>
<p>${badge(one)} ${byProvider(one)}, ${time(one.createdAt)}</p>
${link ? html`<p><a class="button" href="${document(one.id)}">${one.document?.kind === "invoice" ? "Download the invoice" : "Download the order confirmation"} (PDF)</a></p>` : one.document === null && html`<p class="soft">A document exists once the payment is completed.</p>`}
<table class="facts"><tr><th scope="row">Payment</th><td><code>${one.id}</code></td></tr>${one.document?.number && html`<tr><th scope="row">Invoice</th><td>${one.document.number}</td></tr>`}</table>
<p class="soft">From the command line:</p>${command(context, `playtest billing payments show ${one.id}`)}
<p class="more"><a href="${studio.billing()}">All payments</a></p>`;
  return studioLayout(context, "billing", { title: "Payment", body });
}

export const payment: StudioPage = {
  at: studio.payment,
  view: paymentPage,
  files: [
    { at: document, serve: ({ sendFile }, { id }) => sendFile("getInvoice", { id }) },
    { at: invoiceFile, serve: ({ sendFile }, { id }) => sendFile("getInvoiceFile", { id }) },
  ],
};
