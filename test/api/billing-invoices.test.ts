import { expect, test } from "vitest";
import { takeRefund, winDispute } from "../../server/billing/cards/disputes.ts";
import * as payments from "../../server/billing/store.ts";
import type { Config } from "../../server/config/schema.ts";
import { openTill, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveMinutes, order, registerOwner } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";

const invoice = (till: Pick<Till, "owner" | "server">, paymentId: string) =>
  fetch(`${till.server.baseUrl}/api/v1/billing/payments/${paymentId}/invoice`, {
    headers: { authorization: `Bearer ${till.owner.key}` },
  });
const file = (till: Pick<Till, "owner" | "server">, id: string) =>
  fetch(`${till.server.baseUrl}/api/v1/billing/invoices/${id}/file`, { headers: { authorization: `Bearer ${till.owner.key}` } });
const linesOf = (text: string) => text.split("\n");
/** A seller with 23 % tax, reverse charge for Germany and no tax for the United States. */
const sellsFrom = (country: string) => (config: Config) => {
  const seller = {
    name: "Lantern Markets",
    lines: ["1 Quay Street"],
    country,
    taxNumber: `${country} 42`,
    email: "billing@lantern.example",
  };
  const tax = { ...config.invoices.tax, treatment: "standard" as const, ratePercent: 23 };
  config.invoices = {
    ...config.invoices,
    seller,
    tax: { ...tax, reverseChargeCountries: ["DE", country], untaxedCountries: ["US", country] },
  };
};
const textOf = async (reply: Response) => pdfText(Buffer.from(await reply.arrayBuffer()));
const numberOf = (reply: Response) => /filename="(.*)\.pdf"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];

async function subscribe(till: Till) {
  const reply = await till.owner.checkoutSubscription({ body: { planKey: "indie_monthly" } });
  await till.server.request("POST", `/sandbox/subscriptions/${reply.subscriptionId}/complete`, {
    body: { outcome: "paid" },
  });
  const [payment] = (await till.owner.listPayments()).payments;
  return { paymentId: payment!.id as string };
}

async function paid(till: Till, cents = 2000) {
  const { paymentId } = await till.buy(cents);
  await till.complete(paymentId, "paid");
  return paymentId;
}

onBothDatabases("invoices", (serve) => {
  test("contents: number, parties, dates, lines, total and payment", async () => {
    const till = await openTill(await serve({ config: sellsFrom("IE") }), "Studio Lantern");
    const id = await paid(till, 123_456);
    const reply = await invoice(till, id);
    expect([reply.status, reply.headers.get("content-type"), numberOf(reply)]).toEqual([
      200,
      "application/pdf",
      "PT-2026-000001",
    ]);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect([bytes.subarray(0, 5).toString(), bytes.length]).toEqual(["%PDF-", Number(reply.headers.get("content-length"))]);
    expect(pdfText(bytes).split("\n")).toEqual([
      "Invoice",
      ...["Invoice number", "PT-2026-000001", "Issued", "2026-03-01", "Paid", "2026-03-01"],
      ...["From", "Lantern Markets", "1 Quay Street", "Ireland", "Tax number: IE 42", "billing@lantern.example"],
      ...["Billed to", "Studio Lantern", "game_owner1@example.com"],
      ...["Description", "Amount (USD)", "$1,234.56", "Playtest credit"],
      ...["$1,003.71", "Net, without VAT", "$230.85", "VAT 23 %"],
      ...["$1,234.56", "Total", "-$1,234.56", "Paid on 2026-03-01", "$0.00", "Due"],
      ...["Payment", id, "Paid by", "Card (sandbox: no real money moved)"],
      ...["Reference", (await till.payment(id)).externalId, "Invoice PT-2026-000001", "Page 1 of 1", ""],
    ]);
  });

  test("tax: by the country and the tax number of the buyer", async () => {
    const till = await openTill(await serve({ config: sellsFrom("IE") }));
    const buysAs = async (details: object) => {
      expect((await till.owner.patch("/billing/details", details)).status).toBe(200);
      return linesOf(await textOf(await invoice(till, await paid(till, 2001))));
    };
    const standard = ["$16.27", "Net, without VAT", "$3.74", "VAT 23 %", "$20.01", "Total"];
    const untaxed = ["$20.01", "Net, without VAT", "$0.00", "VAT 0 %", "$20.01", "Total"];
    const reversed = "Reverse charge: the buyer owes the tax.";
    const outside = "Outside the scope of the seller's tax.";
    const notes = (lines: string[]) => lines.filter((line) => [reversed, outside].includes(line));
    const cases = [
      [{ country: "IE", taxNumber: "IE 7" }, standard, []],
      [{ country: "DE", taxNumber: null }, standard, []],
      [{ taxNumber: "DE 7" }, untaxed, [reversed]],
      [{ country: "US" }, untaxed, [outside]],
      [{ country: "JP" }, standard, []],
      [{ country: null }, standard, []],
    ] as const;
    for (const [details, sums, sentences] of cases) {
      const lines = await buysAs(details);
      expect([lines.join("\n").includes(sums.join("\n")), notes(lines)], JSON.stringify(details)).toEqual([true, sentences]);
    }
  });

  test("buyer: what was entered for invoices, on the next ones", async () => {
    const till = await openTill(await serve(), "Studio Lantern");
    const before = await paid(till);
    const details = { name: "Lantern SARL", address: "12 rue de la Lune\n\n75002 Paris", country: "FR", taxNumber: "FR 1" };
    expect((await till.owner.updateBillingDetails({ body: { ...details, country: "fr" } })).details).toEqual(details);
    expect((await till.owner.getBillingDetails()).details).toEqual(details);
    const shown = "Lantern SARL\n12 rue de la Lune\n75002 Paris\nFrance\nTax number: FR 1\ngame_owner1@example.com";
    expect(await textOf(await invoice(till, await paid(till)))).toContain(`Billed to\n${shown}\nDescription`);
    expect(await textOf(await invoice(till, before))).toContain(
      "Billed to\nStudio Lantern\ngame_owner1@example.com\nDescription",
    );
    for (const country of ["XX", "EU", "D", "Germany"]) {
      const refused = await till.owner.patch("/billing/details", { country });
      expect([refused.status, refused.body.error.details[0].field], country).toEqual([422, "country"]);
    }
    expect((await till.owner.updateBillingDetails({ body: { country: "UK" } })).details.country).toBe("GB");
    const other = await registerOwner(till.server);
    expect((await other.getBillingDetails()).details).toEqual({
      name: null,
      address: null,
      country: null,
      taxNumber: null,
    });
  });

  test.each([
    "株式会社ランタン",
    "북극성 스튜디오",
    "Студия «Фонарь»",
    "स्टूडियो",
    "สตูดิโอโคมไฟ",
    "தமிழ் ማንዴላ 🎮",
    "Zażółć gęślą jaźń — Łódź",
  ])("fonts: the name %s is rendered", async (name) => {
    const till = await openTill(await serve(), name);
    const text = (await textOf(await invoice(till, await paid(till)))).replaceAll("\n", "");
    for (const character of new Set(name.replaceAll(" ", ""))) expect(text).toContain(character);
    expect(text).not.toContain("\u0000");
  });

  test("fonts: Arabic and Hebrew are set from right to left", async () => {
    const till = await openTill(await serve(), "שלום 42");
    expect(await textOf(await invoice(till, await paid(till)))).toMatch(/42\s+םולש/);
  });

  test("numbers: in the order of payments, not of downloads, without gaps, and from 1 again each year", async () => {
    const till = await openTill(await serve());
    const first = await paid(till);
    await paid(till);
    const third = await paid(till);
    expect(numberOf(await invoice(till, third))).toBe("PT-2026-000003");
    expect(numberOf(await invoice(till, first))).toBe("PT-2026-000001");
    const failed = await till.buy();
    await till.complete(failed.paymentId, "declined");
    const midnight = Date.parse("2027-01-01T00:00:00Z");
    await till.server.advance(midnight - 1 - till.server.clock.now());
    const lastOfYear = await paid(till);
    await till.server.advance(1);
    const firstOfYear = await paid(till);
    expect(numberOf(await invoice(till, firstOfYear))).toBe("PT-2027-000001");
    const reply = await invoice(till, lastOfYear);
    expect(numberOf(reply)).toBe("PT-2026-000004");
    expect(await textOf(reply)).toContain("Issued\n2026-12-31\nPaid\n2026-12-31");
    expect((await till.payment(first)).document).toEqual({
      kind: "invoice",
      number: "PT-2026-000001",
      issuedAt: "2026-03-01T12:00:00.000Z",
    });
    expect((await till.payment(failed.paymentId)).document).toBe(null);
  });

  test("numbers: without gaps when payments complete at the same time", async () => {
    const server = await serve();
    const tills = await Promise.all(Array.from({ length: 3 }, () => openTill(server)));
    const bought = await Promise.all(
      tills.flatMap((till) => Array.from({ length: 4 }, async () => ({ till, id: (await till.buy()).paymentId }))),
    );
    await Promise.all(bought.flatMap(({ till, id }) => [till.complete(id, "paid"), till.complete(id, "paid")]));
    const payments = await Promise.all(bought.map(({ till, id }) => till.payment(id)));
    const expected = bought.map((_, index) => `PT-2026-${String(index + 1).padStart(6, "0")}`);
    expect(payments.map(({ document }) => document.number).sort()).toEqual(expected);
  });

  test("an issued invoice: stays the same bytes when the account changes its name", async () => {
    const till = await openTill(await serve(), "Old Name");
    const id = await paid(till);
    const first = await (await invoice(till, id)).arrayBuffer();
    await till.owner.updateProfile({ body: { companyName: "New Name" } });
    await till.server.advance(3_600_000);
    expect(Buffer.from(await (await invoice(till, id)).arrayBuffer()).equals(Buffer.from(first))).toBe(true);
  });

  test("an issued invoice: cannot be changed or removed in the database", async () => {
    const { store } = (await serve()).deps;
    // The tests use PostgreSQL as a superuser, whom it lets do everything.
    const unless = store.shared
      ? { warning: true }
      : { detail: "postings, audit entries and invoices cannot be changed or removed" };
    const guarded = (await store.check({ thorough: true })).find(({ name }) => name === "append_only");
    expect(guarded).toMatchObject({ ok: true, ...unless });
  });

  test.each(["pending", "declined", "cancelled"])("a payment that is %s: has no invoice", async (outcome) => {
    const till = await openTill(await serve());
    const { paymentId } = await till.buy();
    if (outcome !== "pending") await till.complete(paymentId, outcome);
    const reply = await till.owner.get(`/billing/payments/${paymentId}/invoice`);
    expect([reply.status, reply.body.error.code]).toEqual([409, "CONFLICT"]);
    expect((await till.owner.listInvoices()).invoices).toEqual([]);
  });

  test("a dispute: has a credit note, and winning it cancels that; the sum is what was received", async () => {
    const till = await openTill(await serve({ config: sellsFrom("IE") }));
    await paid(till, 5000);
    const id = await paid(till, 12_345);
    await till.complete(id, "disputed");
    expect(numberOf(await invoice(till, id))).toBe("PT-2026-000002");
    await till.server.advance(86_400_000);
    const { store } = till.server.deps;
    await store.write(async (tx) => winDispute(tx, (await payments.find(tx, id))!, "dp_1"));
    const { invoices } = await till.owner.listInvoices();
    const rows = invoices.map((row: Record<string, unknown>) => [row.number, row.kind, row.totalCents, row.taxCents, row.about]);
    expect(rows).toEqual([
      ["PT-CN-2026-000002", "cancellation", 12_345, 2308, ["PT-CN-2026-000001"]],
      ["PT-CN-2026-000001", "credit_note", -12_345, -2308, ["PT-2026-000002"]],
      ["PT-2026-000002", "invoice", 12_345, 2308, []],
      ["PT-2026-000001", "invoice", 5000, 935, []],
    ]);
    const [cancellation, note] = await Promise.all(invoices.slice(0, 2).map((row: { id: string }) => file(till, row.id)));
    expect(linesOf(await textOf(note!))).toEqual(
      expect.arrayContaining(["Credit note", "Credits invoice", "PT-2026-000002 of 2026-03-01", "Credited", "$23.08"]),
    );
    expect(linesOf(await textOf(cancellation!))).toEqual(
      expect.arrayContaining(["Cancels credit note", "PT-CN-2026-000001 of 2026-03-01", "No longer credited", "2026-03-02"]),
    );
    expect(numberOf(note!)).toBe("PT-CN-2026-000001");
    const other = await registerOwner(till.server);
    expect((await other.get(`/billing/invoices/${invoices[1]!.id}/file`)).status).toBe(404);
    expect((await other.listInvoices()).invoices).toEqual([]);
  });

  test("refunds in parts: the tax of their credit notes adds up to that of the invoice", async () => {
    const till = await openTill(await serve({ config: sellsFrom("IE") }));
    const id = await paid(till, 2000);
    const { deps } = till.server;
    for (const [index, cents] of [333, 333, 334, 1000].entries())
      await deps.store.write(async (tx) => takeRefund(tx, (await payments.find(tx, id))!, { id: `re_${index}`, cents }));
    const { invoices } = (await till.owner.get("/billing/invoices")).body.data;
    const sum = (field: string) => invoices.reduce((total: number, row: Record<string, number>) => total + row[field]!, 0);
    expect([invoices.length, sum("totalCents"), sum("taxCents")]).toEqual([5, 0, 0]);
  });

  test("a plan: its invoices name the period", async () => {
    const till = await openTill(await serve());
    const { paymentId } = await subscribe(till);
    expect(await textOf(await invoice(till, paymentId))).toContain("Period\n2026-03-01 to 2026-04-01 (UTC)\n");
  });

  test("an order paid with credit: gets a confirmation that names the invoices of what was spent, the oldest first", async () => {
    const till = await openTill(await serve());
    for (const cents of [3000, 2000, 4000]) await paid(till, cents);
    await till.spend("credit", 2500);
    await till.spend("credit", 3000);
    const [last, before] = (await till.owner.listPayments()).payments;
    const reply = await invoice(till, last!.id);
    expect([reply.status, numberOf(reply)?.startsWith("order-")]).toEqual([200, true]);
    const text = await textOf(reply);
    expect(text).toMatch(/^Order confirmation\nPaid with credit, nothing due\. This is not an invoice\.\n/);
    expect(text).toContain("$30.00\nTotal\n-$30.00\nPaid with credit\n$0.00\nDue\n");
    expect(text).toContain(
      "$5.00\nInvoice PT-2026-000001 of 2026-03-01\n$20.00\nInvoice PT-2026-000002 of 2026-03-01\n$5.00\nInvoice PT-2026-000003 of 2026-03-01\n",
    );
    expect(await textOf(await invoice(till, before!.id))).toContain("$25.00\nInvoice PT-2026-000001 of 2026-03-01\nThe money");
    expect(last!.document).toEqual({ kind: "order_confirmation", number: null, issuedAt: "2026-03-01T12:00:00.000Z" });
    const { invoices } = await till.owner.listInvoices();
    expect(invoices.reduce((sum: number, row: { totalCents: number }) => sum + row.totalCents, 0)).toBe(9000);
  });

  test("an order paid with hours: gets a confirmation; another owner's payment is 404", async () => {
    const till = await openTill(await serve());
    await giveMinutes(till.server, till.owner, 60);
    await order(till.owner, await createGame(till.owner));
    const [payment] = (await till.owner.listPayments()).payments;
    const text = await textOf(await invoice(till, payment!.id));
    expect(text).toContain("Paid with hours, nothing due. This is not an invoice.");
    expect(text).toContain("1 h\nAdded by the operator: for a test\n");
    expect(text).not.toContain("invoices named above");
    const other = await registerOwner(till.server);
    expect((await other.get(`/billing/payments/${payment!.id}/invoice`)).status).toBe(404);
  });
});
