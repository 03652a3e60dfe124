import * as z from "zod";
import { spentFrom } from "./accounts/budgets.ts";
import { endpoint } from "./endpoint.ts";
import {
  cents,
  country,
  extension,
  httpUrl,
  id,
  minutes,
  pageQuery,
  readableText,
  text,
  timestamp,
  wholeListQuery,
} from "./fields.ts";
import { chains, cryptoHeaders, currencies } from "./headers.ts";
import { paymentStatuses, subscriptionStatuses } from "./states/index.ts";

const billingScope = { access: ["billing"] } as const;
const owner = { access: ["game_owner"] } as const;

export const planKeys = ["indie_monthly", "indie_yearly", "studio_monthly", "studio_yearly"] as const;
export const planTiers = ["indie", "studio"] as const;
export const planIntervals = ["month", "year"] as const;
/** Why a subscription ended. */
export const endedReasons = [
  "cancelled",
  "plan_changed",
  "payment_failed",
  "chargeback",
  "refunded",
  "checkout_cancelled",
  "checkout_expired",
] as const;
export type EndedReason = (typeof endedReasons)[number];

/** How the freeze that comes with a dispute ends: the bank decided against the dispute, or an administrator lifted it. */
export const disputeEndings = ["won", "lifted"] as const;

export type DisputeEnding = (typeof disputeEndings)[number];
export const disputeStatuses = ["open", ...disputeEndings] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** The `error.payment` of a crypto 402. */
export const paymentInstructions = z
  .strictObject({
    id: id(),
    chain: z.enum(chains),
    currency: z.enum(currencies),
    cryptoAmount: z.string().meta({ description: "In whole coins, as a decimal string." }),
    receiver: z.string(),
    network: z.string(),
    expiresAt: timestamp(),
  })
  .meta({ id: "PaymentInstructions" });

export const payment = z
  .strictObject({
    id: id(),
    amountCents: z.int(),
    status: z.enum(paymentStatuses),
    provider: z.string().nullable().meta({
      description: "`credit`, `playtest_hours`, `x402`, or the name of the card processor, such as `stripe` or `sandbox`.",
    }),
    externalId: z.string().nullable(),
    createdAt: timestamp(),
    document: extension(
      z
        .strictObject({
          kind: z.enum(["invoice", "order_confirmation"]),
          number: z.string().nullable().meta({ description: "Null for an order confirmation." }),
          issuedAt: timestamp(),
        })
        .nullable()
        .meta({ description: "What `GET /billing/payments/:id/invoice` downloads. Null until the payment is completed." }),
    ),
  })
  .meta({ id: "Payment" });

export const invoiceKinds = ["invoice", "credit_note", "cancellation"] as const;

export const invoice = z
  .strictObject({
    id: id(),
    kind: z.enum(invoiceKinds).meta({ description: "A `cancellation` takes back a credit note." }),
    number: z.string(),
    issuedAt: timestamp(),
    paymentId: id(),
    totalCents: z.int().meta({ description: "With tax; below zero for a credit note, so that the sum is what was paid." }),
    taxCents: z.int().nullable().meta({ description: "The tax in it, or null if the document says nothing about tax." }),
    currency: z.string(),
    about: z
      .array(z.string())
      .meta({ description: "Numbers of the invoices that it credits, or of the credit note that it cancels." }),
  })
  .meta({ id: "Invoice" });

export const billingDetails = z
  .strictObject({
    name: z.string().nullable(),
    address: z.string().nullable(),
    country: z.string().nullable(),
    taxNumber: z.string().nullable(),
  })
  .meta({ id: "BillingDetails" });

export const plan = z
  .strictObject({
    key: z.enum(planKeys),
    name: z.string(),
    displayName: z.string(),
    tier: z.enum(planTiers),
    interval: z.enum(planIntervals),
    priceCents: cents(),
    minutesPerCycle: minutes(),
    hoursPerCycle: z.number(),
    pricePerHourCents: cents(),
  })
  .meta({ id: "Plan" });

export const subscription = z
  .strictObject({
    id: id(),
    planKey: z.enum(planKeys),
    planName: z.string(),
    tier: z.enum(planTiers),
    interval: z.enum(planIntervals),
    priceCents: cents(),
    minutesPerCycle: minutes(),
    hoursPerCycle: z.number(),
    status: z.enum(subscriptionStatuses),
    currentPeriodStart: timestamp().nullable(),
    currentPeriodEnd: timestamp().nullable(),
    cancelAtPeriodEnd: z.boolean(),
    cancelledAt: timestamp().nullable(),
    endedAt: timestamp().nullable(),
    endedReason: z.enum(endedReasons).nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Subscription" });

export const hoursEntry = z
  .strictObject({
    id: id(),
    amountMinutes: minutes(),
    source: z.string(),
    note: z.string().nullable(),
    subscriptionId: id().nullable(),
    paymentId: id().nullable(),
    playtestRequestId: id().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "HoursEntry" });

const txHash = text(200, 1).meta({ description: "Hash of the transaction that was sent." });
const proofChain = z.enum(chains).optional().meta({ description: "Chain of the transaction; default: the payment's." });

export const billing = {
  getBalance: endpoint("GET /billing/balance", {
    ...billingScope,
    summary: "Show credit and playtest minutes",
    reply: z.strictObject({
      balanceCents: cents(),
      currency: z.string(),
      playtestMinutes: minutes(),
    }),
  }),
  listPayments: endpoint("GET /billing/payments", {
    ...billingScope,
    summary: "List payments",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ payments: z.array(payment) }),
  }),
  getPayment: endpoint("GET /billing/payments/:id", {
    ...billingScope,
    summary: "Show a payment",
    reply: z.strictObject({ payment }),
  }),
  getInvoice: endpoint("GET /billing/payments/:id/invoice", {
    ...billingScope,
    summary: "Download the invoice of a completed payment as a PDF, or the confirmation of an order paid with credit or hours",
    media: "binary",
    reply: z.unknown(),
    errors: ["CONFLICT"],
  }),
  listInvoices: endpoint("GET /billing/invoices", {
    ...billingScope,
    extension: true,
    summary: "List invoices and credit notes",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ invoices: z.array(invoice) }),
  }),
  getInvoiceFile: endpoint("GET /billing/invoices/:id/file", {
    ...billingScope,
    extension: true,
    summary: "Download an invoice or a credit note as a PDF",
    media: "binary",
    reply: z.unknown(),
  }),
  getBillingDetails: endpoint("GET /billing/details", {
    ...billingScope,
    extension: true,
    summary: "Show the name, address and tax number that are on your invoices",
    reply: z.strictObject({ details: billingDetails }),
  }),
  updateBillingDetails: endpoint("PATCH /billing/details", {
    // The reply shows what only `billing` may read.
    access: ["game_owner", "billing"],
    extension: true,
    summary: "Change the name, address and tax number for your next invoices",
    body: z
      .strictObject({
        name: readableText(200).nullable().optional().meta({ description: "Legal name; null: the company of the profile." }),
        address: readableText(500).nullable().optional().meta({ description: "Address, with line breaks; null removes it." }),
        country: country().nullable().optional().meta({ description: "Code of the country, such as DE; null removes it." }),
        taxNumber: readableText(50)
          .nullable()
          .optional()
          .meta({ description: "Tax number, such as the VAT identification number; null removes it." }),
      })
      .prefault({}),
    reply: z.strictObject({ details: billingDetails }),
  }),
  buyCredit: endpoint("POST /billing/credit", {
    ...owner,
    summary: "Buy credit by card at a hosted checkout",
    risk: "spend",
    body: z.strictObject({
      amountCents: z.int().min(2000).max(1_000_000).meta({ description: "Credit to buy." }),
      returnUrl: httpUrl().optional().meta({ description: "URL to return to after the checkout: https, or http on localhost." }),
    }),
    reply: z.strictObject({
      checkoutUrl: z.string(),
      paymentId: id(),
      amountCents: cents(),
      ...spentFrom,
    }),
    errors: ["BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  buyCreditWithCrypto: endpoint("POST /billing/credit/x402", {
    ...owner,
    summary: "Buy credit with crypto: request payment instructions, then submit the transaction",
    risk: "spend",
    body: z
      .strictObject({
        amountCents: z.int().min(500).max(1_000_000).optional().meta({ description: "Credit to buy; first request only." }),
      })
      .prefault({}),
    reply: z.strictObject({
      message: z.string(),
      paymentId: id(),
      creditedCents: cents(),
    }),
    headers: cryptoHeaders,
    errors: ["PAYMENT_REQUIRED", "BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  getProofMessage: endpoint("GET /billing/payments/:id/proof", {
    ...owner,
    extension: true,
    summary: "Show what to sign to prove who sent a crypto deposit",
    query: z.object({ txHash, chain: proofChain }),
    reply: z.strictObject({
      proof: z.strictObject({
        message: z
          .string()
          .meta({ description: "What to sign, unchanged: names this instance, the payment and the transaction." }),
        scheme: z.enum(["eip191", "ed25519"]).meta({ description: "How to sign it: `personal_sign` (EIP-191), or ed25519." }),
        chain: z.enum(chains),
        txHash: z.string(),
        addresses: z.array(z.string()).meta({ description: "Who sent the deposits of this transaction: one of them must sign." }),
      }),
    }),
    errors: ["PAYMENT_REQUIRED", "NOT_CONFIGURED"],
  }),
  proveDeposit: endpoint("POST /billing/payments/:id/proof", {
    ...owner,
    extension: true,
    summary: "Prove by a signature who sent a crypto deposit, and have it credited",
    body: z.strictObject({
      txHash,
      chain: proofChain,
      signature: text(200, 1).meta({ description: "Signature of the message: hex, for Solana also base58 or base64." }),
    }),
    reply: z.strictObject({
      message: z.string(),
      paymentId: id(),
      creditedCents: cents(),
    }),
    errors: ["PAYMENT_REQUIRED", "NOT_CONFIGURED"],
  }),
  listPlans: endpoint("GET /billing/plans", {
    ...billingScope,
    summary: "List subscription plans",
    reply: z.strictObject({ plans: z.array(plan), configured: z.boolean() }),
  }),
  getSubscription: endpoint("GET /billing/subscription", {
    ...billingScope,
    summary: "Show the subscription and its hours",
    reply: z.strictObject({
      subscription: subscription.nullable(),
      plan: plan.nullable(),
      playtestMinutes: minutes(),
      playtestHours: z.number(),
      nextRenewalAt: timestamp().nullable(),
      endsAt: timestamp().nullable(),
      cancelAtPeriodEnd: z.boolean(),
    }),
  }),
  checkoutSubscription: endpoint("POST /billing/subscription/checkout", {
    ...owner,
    summary: "Subscribe or change plan at a hosted checkout",
    risk: "spend",
    body: z.strictObject({
      planKey: z.enum(planKeys).meta({ description: "Plan to subscribe to." }),
    }),
    reply: z.strictObject({
      checkoutUrl: z.string(),
      sessionId: z.string(),
      subscriptionId: id(),
      paymentId: extension(id().optional().meta({ description: "The payment that the checkout is for." })),
      isPlanChange: z.boolean(),
      ...spentFrom,
    }),
    errors: ["BUDGET_EXCEEDED", "NOT_CONFIGURED"],
  }),
  cancelSubscription: endpoint("POST /billing/subscription/cancel", {
    ...owner,
    summary: "Cancel the subscription at the end of its period, or at once if it is past due",
    risk: "destroy",
    reply: z.strictObject({ subscription }),
  }),
  resumeSubscription: endpoint("POST /billing/subscription/resume", {
    ...owner,
    refusesBudgeted: true,
    summary: "Undo a scheduled cancellation",
    reply: z.strictObject({ subscription }),
  }),
  getPlaytestHours: endpoint("GET /billing/playtest-hours", {
    ...billingScope,
    summary: "Show playtest hours",
    reply: z.strictObject({
      balanceMinutes: minutes(),
      balanceHours: z.number(),
    }),
  }),
  listPlaytestHoursHistory: endpoint("GET /billing/playtest-hours/history", {
    ...billingScope,
    summary: "List playtest hours gained and spent",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ entries: z.array(hoursEntry) }),
  }),
};
