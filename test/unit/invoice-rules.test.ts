import { describe, expect, it } from "vitest";
import { composeConfirmation, fundedBy, type Movement, type Source } from "../../server/billing/invoices/confirmation-rules.ts";
import * as rules from "../../server/billing/invoices/rules.ts";
import { netOf, percent, taxRuleFor } from "../../server/billing/invoices/tax-rules.ts";
import type { PaymentRow } from "../../server/billing/store.ts";
import { defaults } from "../../server/config/defaults.ts";
import { fullRow } from "../../server/database/rows.ts";

type Settings = typeof defaults.invoices;
const now = Date.parse("2026-03-01T12:00:00Z");
const seller = { name: "Playtest", lines: ["Main Street 1"] };
const details = { name: null, address: null, country: null, taxNumber: null };
const buyer: rules.BuyerFacts = { displayName: "Ann", companyName: "Ann's Games", email: "ann@example.com", details };
const settings = (tax: Partial<Settings["tax"]> = {}): Settings => ({
  ...defaults.invoices,
  seller: { ...defaults.invoices.seller, country: "DE" },
  tax: {
    ...defaults.invoices.tax,
    treatment: "standard",
    ratePercent: 19,
    reverseChargeCountries: ["FR", "IT"],
    untaxedCountries: ["US", "IT"],
    reverseChargeNote: "reverse",
    untaxedNote: "outside",
    exemptNote: "exempt",
    ...tax,
  },
});

const payment = (changes: Partial<PaymentRow> = {}): PaymentRow =>
  fullRow("payments", {
    id: "P",
    owner_id: "O",
    amount_cents: 11_900,
    status: "completed",
    provider: "stripe",
    external_id: "cs_1",
    purpose: "credit",
    description: "Credit",
    completed_at: now - 5,
    created_at: now - 10,
    updated_at: now - 5,
    ...changes,
  });

describe("tax", () => {
  it.each([
    ["of the seller's country", {}, { country: "DE", taxNumber: "DE1" }, { rate: 1900, note: null }],
    ["where no country is known", {}, { country: null, taxNumber: "X" }, { rate: 1900, note: null }],
    ["of a country that no list has", {}, { country: "CH", taxNumber: "CH1" }, { rate: 1900, note: null }],
    ["owed by the buyer", {}, { country: "FR", taxNumber: "FR1" }, { rate: 0, note: "reverse" }],
    ["of a buyer without a number", {}, { country: "FR", taxNumber: null }, { rate: 1900, note: null }],
    ["where the seller's does not apply", {}, { country: "US", taxNumber: null }, { rate: 0, note: "outside" }],
    ["where the seller's does not apply, with a number", {}, { country: "US", taxNumber: "1" }, { rate: 0, note: "outside" }],
    ["of a country on both lists", {}, { country: "IT", taxNumber: "IT1" }, { rate: 0, note: "reverse" }],
    ["that is exempt", { treatment: "exempt" }, { country: "DE", taxNumber: null }, { rate: 0, note: "exempt" }],
    ["that is exempt, abroad", { treatment: "exempt" }, { country: "US", taxNumber: null }, { rate: 0, note: "outside" }],
    ["with a fraction", { ratePercent: 8.1 }, { country: "DE", taxNumber: null }, { rate: 810, note: null }],
    [
      "of a seller whose own country is on the lists",
      { reverseChargeCountries: ["DE"], untaxedCountries: ["DE"] },
      { country: "DE", taxNumber: "DE1" },
      { rate: 1900, note: null },
    ],
  ] as const)("%s", (_, changes, who, rule) => {
    expect(taxRuleFor(settings(changes as Partial<Settings["tax"]>), who)).toEqual({ name: "VAT", ...rule });
  });

  it("is not mentioned by default", () => {
    expect(taxRuleFor(settings({ treatment: "none" }), { country: "US", taxNumber: null })).toBeNull();
  });

  it.each([
    [11_900, 1900, 10_000],
    [100, 1900, 84],
    [1, 1900, 1],
    [0, 1900, 0],
    [12_345, 0, 12_345],
    [15, 10_000, 8],
    [13, 10_000, 7],
  ])("of %i cents at the rate %i leaves %i", (cents, rate, net) => {
    expect(netOf(cents, rate)).toBe(net);
  });

  it.each([
    [1900, "19 %"],
    [810, "8.1 %"],
  ])("of the rate %i is shown as %s", (rate, text) => {
    expect(percent(rate)).toBe(text);
  });
});

describe("numbers of documents", () => {
  it("have the series, the year and six digits", () => {
    expect(rules.invoiceNumber("PT", 2026, 42)).toBe("PT-2026-000042");
  });

  it.each([
    ["invoice", null, "PT"],
    ["credit_note", null, "PT-CN"],
    ["cancellation", null, "PT-CN"],
    ["credit_note", "CN", "CN"],
    ["invoice", "CN", "PT"],
  ] as const)("of a document of the kind %s, with the series %s for credit notes: %s", (kind, creditNoteSeries, series) => {
    expect(rules.seriesOf({ ...settings(), creditNoteSeries }, kind)).toBe(series);
  });

  it.each([
    ["dispute", "credit_note"],
    ["card_refund", "credit_note"],
    ["dispute_won", "cancellation"],
    ["refund_failed", "cancellation"],
  ] as const)("%s makes a document of the kind %s", (source, kind) => {
    expect(rules.kindOf(source)).toBe(kind);
  });
});

describe("who buys", () => {
  it.each<[string, Partial<rules.BuyerFacts>, rules.Party]>([
    ["the account", {}, { name: "Ann's Games", lines: ["Ann", "ann@example.com"] }],
    ["a person", { companyName: "Ann" }, { name: "Ann", lines: ["ann@example.com"] }],
    [
      "what was entered",
      { details: { name: "Ann GmbH", address: "Ring 1\n \n10115 Berlin", country: "DE", taxNumber: "DE1" } },
      { name: "Ann GmbH", lines: ["Ring 1", "10115 Berlin", "Germany", "Tax number: DE1", "ann@example.com"] },
    ],
  ])("%s", (_, changes, party) => {
    expect(rules.buyerOf({ ...buyer, ...changes })).toEqual(party);
  });
});

const composed = (changes: Partial<PaymentRow> = {}, more: Partial<Parameters<typeof rules.composeInvoice>[0]> = {}) =>
  rules.composeInvoice({
    number: "PT-2026-000001",
    issuedAt: now,
    payment: payment(changes),
    period: undefined,
    units: undefined,
    settings: settings(),
    seller,
    buyer,
    ...more,
  });

describe("an invoice", () => {
  it("says who pays what, how, when and with which tax", () => {
    expect(composed()).toEqual({
      kind: "invoice",
      number: "PT-2026-000001",
      issuedAt: now,
      paidAt: now - 5,
      seller,
      buyer: rules.buyerOf(buyer),
      lines: [{ description: "Credit", cents: 11_900 }],
      totalCents: 11_900,
      tax: { name: "VAT", rate: 1900, note: null, netCents: 10_000, taxCents: 1_900 },
      currency: "USD",
      paymentId: "P",
      paidBy: "Card",
      reference: "cs_1",
    });
    expect(rules.documentOf({ document: JSON.stringify(composed()) })).toEqual(composed());
  });

  it("says nothing of tax where none is set, and the period of a plan", () => {
    const period = { from: 1, to: 2 };
    const invoice = composed({}, { settings: settings({ treatment: "none" }), period });
    expect(invoice).not.toHaveProperty("tax");
    expect(invoice.period).toEqual(period);
    expect(composed()).not.toHaveProperty("period");
  });

  it.each([
    [{ completed_at: null }, { paidAt: now - 10 }],
    [{ description: null }, { lines: [{ description: "Playtest credit", cents: 11_900 }] }],
    [{ provider: "sandbox" }, { paidBy: "Card (sandbox: no real money moved)" }],
    [{ provider: "x402" }, { paidBy: "Crypto (x402)" }],
  ] as const)("of a payment with %j has %j", (changes, fields) => {
    expect(composed(changes)).toMatchObject(fields);
  });
});

describe("the unit price", () => {
  const line = (units: rules.Units | undefined) => composed({}, { units }).lines[0];
  it("is that of an order, if it gives what was paid", () => {
    const whole = { description: "Credit", cents: 11_900 };
    expect(line({ count: 7, cents: 1_700 })).toEqual({ ...whole, units: { count: 7, cents: 1_700 } });
    expect([line({ count: 7, cents: 1_600 }), line(undefined)]).toStrictEqual([whole, whole]);
  });

  it("is shown as a product", () => {
    expect(rules.unitPrice({ count: 4, cents: 2_000 })).toBe("4 × $20.00");
  });
});

describe("what goes back", () => {
  const invoice = { ...composed({}, { period: { from: 1, to: 2 } }), totalCents: 1_000 };
  const about = [{ number: invoice.number, issuedAt: now }];
  const reversal = (source: rules.ReversalSource, cents: number, before: number) =>
    rules.composeReversal({ number: "PT-CN-1", issuedAt: now + 1, invoice, about, source, cents, before });

  it("has a credit note of its own, with the parties of the invoice", () => {
    const { tax: _, period: __, ...same } = invoice;
    expect(reversal("dispute", 119, 0)).toEqual({
      ...same,
      kind: "credit_note",
      number: "PT-CN-1",
      issuedAt: now + 1,
      lines: [{ description: "Chargeback: the amount was returned to the card after a dispute", cents: 119 }],
      totalCents: 119,
      tax: { name: "VAT", rate: 1900, note: null, netCents: 100, taxCents: 19 },
      about,
    });
  });

  it("has tax that adds up to that of the whole, in whatever parts, and back again", () => {
    const parts = [100, 333, 567].map((cents, index, all) =>
      reversal(
        "card_refund",
        cents,
        all.slice(0, index).reduce((sum, one) => sum + one, 0),
      ),
    );
    const sum = (of: "netCents" | "taxCents") => parts.reduce((total, { tax }) => total + tax![of], 0);
    expect([sum("netCents"), sum("taxCents")]).toEqual([840, 160]);
    expect(reversal("refund_failed", 567, 1000).tax).toEqual(parts[2]!.tax);
    expect(reversal("dispute_won", 567, 1000)).toMatchObject({ kind: "cancellation", totalCents: 567 });
  });

  it("says nothing of tax where the invoice does not", () => {
    const { tax: _, ...untaxed } = invoice;
    const note = rules.composeReversal({
      number: "N",
      issuedAt: now,
      invoice: untaxed,
      about,
      source: "dispute",
      cents: 1,
      before: 0,
    });
    expect(note).not.toHaveProperty("tax");
  });
});

describe("what an order was paid from", () => {
  const source = (amount: number, note: string | null): Source => ({ amount, invoice: undefined, note });
  const lot = (amount: number, name: string): Movement => ({ ...source(amount, name), lot: name, order: null });
  const order = (amount: number, name: string): Movement => ({ ...source(amount, null), lot: undefined, order: name });
  const lots = [lot(1000, "a"), lot(500, "b"), lot(2000, "c")];
  it.each<[name: string, movements: Movement[], amount: number, from: string]>([
    ["the credit that came first", lots, 1000, "a 1000"],
    ["the credit that came first, and then the next", lots, 1200, "a 1000, b 200"],
    ["what earlier orders left", [...lots, order(-500, "O")], 600, "a 500, b 100"],
    ["what came again for the same payment", [lot(100, "a"), lot(50, "b"), lot(70, "a")], 200, "a 170, b 30"],
    ["all but what was taken back", [...lots, lot(-500, "b")], 1200, "a 1000, c 200"],
    ["what was bought after some was taken back", [lot(100, "a"), lot(-40, "a"), lot(100, "b")], 140, "a 60, b 80"],
    ["what came before a refund of an order that nobody knows", [lot(100, "a"), order(50, "O")], 60, "a 60"],
    ["all but what was taken back beyond its payment", [...lots, lot(-700, "b")], 1000, "a 800, c 200"],
    ["all but what was taken back of a payment that nobody knows", [...lots, lot(-300, "x")], 1000, "a 700, b 300"],
    ["what a refund gave back, the newest first", [...lots, order(-1200, "O"), order(300, "O")], 301, "a 100, b 201"],
    [
      "what a refund gave back of its own order",
      [...lots, order(-1000, "O"), order(-200, "P"), order(100, "P")],
      450,
      "b 400, c 50",
    ],
    ["a refund beyond its order", [lot(100, "a"), order(-100, "O"), order(150, "O")], 160, "a 100, null 50, null 10"],
    ["refunds of an order in parts", [lot(300, "a"), order(-300, "O"), order(200, "O"), order(200, "O")], 400, "a 300, null 100"],
    ["a refund of an order that nobody knows", [order(70, "O"), lot(10, "a")], 80, "null 70, a 10"],
    ["what came after it was spent", [order(-100, "O"), lot(60, "a"), lot(1000, "b")], 970, "b 960, null 10"],
    ["more than there is", lots, 4000, "a 1000, b 500, c 2000, null 500"],
    ["nothing that is known", [], 10, "null 10"],
  ])("%s", (_, movements, amount, from) => {
    const sources = fundedBy(movements, amount);
    expect(sources.map(({ note, amount }) => `${note} ${amount}`).join(", ")).toBe(from);
    for (const one of sources) expect(one).toStrictEqual(source(one.amount, one.note));
  });

  it("is in its confirmation", () => {
    const sources = [source(1000, "a"), source(200, "b")];
    const paid = payment({ provider: "credit", playtest_id: "T" });
    const facts = { payment: paid, units: undefined, sources, seller, buyer, replaces: undefined };
    const confirmation = {
      orderId: "T",
      orderedAt: now - 5,
      seller,
      buyer: rules.buyerOf(buyer),
      description: "Credit",
      paidWith: "credit",
      amount: 1200,
      sources,
    };
    expect(composeConfirmation(facts)).toStrictEqual(confirmation);
    expect(composeConfirmation({ ...facts, replaces: "PT-1" })).toStrictEqual({ ...confirmation, replaces: "PT-1" });
    const units = { count: 7, cents: 1_700 };
    expect(composeConfirmation({ ...facts, units })).toStrictEqual({ ...confirmation, units });
    const older = payment({ provider: "playtest_hours", completed_at: null, description: null });
    expect(composeConfirmation({ ...facts, units, payment: older })).not.toHaveProperty("units");
    expect(composeConfirmation({ ...facts, payment: older })).toMatchObject({
      orderId: "cs_1",
      orderedAt: now - 10,
      description: "Playtests",
      paidWith: "hours",
    });
  });
});
