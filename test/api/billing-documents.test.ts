import { expect, test } from "vitest";
import { nextSequence } from "../../server/billing/invoices/store.ts";
import type { Data } from "../../src/contract/index.ts";
import { openTill, type Till } from "../helpers/billing.ts";
import { openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";
import { createTestClock } from "../helpers/server.ts";
import { secretKey, startStripe, webhookSecret } from "../helpers/stripe.ts";

/** The text of the document of a payment. */
async function textOf({ owner, server }: Till, paymentId: string) {
  const reply = await fetch(`${server.baseUrl}/api/v1/billing/payments/${paymentId}/invoice`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  return pdfText(Buffer.from(await reply.arrayBuffer()));
}

/** Invoices and credit notes, oldest first. */
const issued = async ({ owner }: Till): Promise<Data<"listInvoices">["invoices"]> =>
  (await owner.listInvoices()).invoices.toReversed();

const taxed = { treatment: "standard", ratePercent: 19 };

async function paid(till: Till, cents = 2000) {
  const { paymentId } = await till.buy(cents);
  await till.complete(paymentId, "paid");
  return paymentId;
}

onBothDatabases("the documents of money that moved", (serve) => {
  test("every way to pay money: one invoice, of what arrived, and none for credit or hours", async () => {
    const till = await openTill(await serve());
    const { owner } = till;
    const path = `/games/${await createGame(owner)}/playtests`;
    await paid(till, 2500);
    const wallet = await openWallet(till.server, owner);
    const asked = await wallet.ask(3000);
    expect((await wallet.prove(await wallet.send(asked))).status).toBe(200);
    const card = await owner.post(path, { quantity: 1 }, { "x-payment-method": "card" });
    await till.complete(card.body.data.paymentId, "paid");
    expect(await textOf(till, card.body.data.paymentId)).toContain("$20.00\n1 × playtest of 60 minutes, 1 player\n1 × $20.00\n");
    const plan = await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
    const bought = `/sandbox/subscriptions/${plan.body.data.subscriptionId}/complete`;
    await till.server.request("POST", bought, { body: { outcome: "paid" } });
    const { id: planPaymentId } = (await owner.get("/billing/payments")).body.data.payments[0];
    const { subscription } = (await owner.get("/billing/subscription")).body.data;
    await owner.post(path, { quantity: 1 }, { "x-payment-method": "credit" });
    await owner.post(path, { quantity: 1 }, { "x-payment-method": "hours" });
    expect((await issued(till)).map(({ kind, totalCents }) => [kind, totalCents])).toEqual([
      ["invoice", 2500],
      ["invoice", 3000],
      ["invoice", 2000],
      ["invoice", subscription.priceCents],
    ]);
    expect(await textOf(till, planPaymentId)).toContain(`Period\n${subscription.currentPeriodStart.slice(0, 10)}`);
    const { payments } = (await owner.get("/billing/payments")).body.data;
    const shown = payments.map(({ provider, document }: { provider: string; document: { kind: string; number: string } }) => [
      ...[provider, document.kind, document.number],
    ]);
    expect(shown.toReversed()).toEqual([
      ["sandbox", "invoice", "PT-2026-000001"],
      ["x402", "invoice", "PT-2026-000002"],
      ["sandbox", "invoice", "PT-2026-000003"],
      ["sandbox", "invoice", "PT-2026-000004"],
      ["credit", "order_confirmation", null],
      ["playtest_hours", "order_confirmation", null],
    ]);
  });

  test("numbers: one whose transaction fails is given to the next payment", async () => {
    const till = await openTill(await serve());
    const { deps } = till.server;
    await paid(till);
    const failing = deps.store.write(async (tx) => {
      expect(await nextSequence(tx, "PT", 2026)).toBe(2);
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    await till.server.advance(1000);
    await paid(till);
    expect((await issued(till)).map(({ number }) => number)).toEqual(["PT-2026-000001", "PT-2026-000002"]);
  });

  test("refunds in parts and a dispute that is won, at Stripe: documents add up to the money received", async () => {
    const clock = createTestClock();
    const stripe = await startStripe(clock);
    const server = await serve({
      clock,
      config(config) {
        config.sandbox = false;
        config.stripe = { secretKey, webhookSecret, apiUrl: stripe.url };
        Object.assign(config.invoices.tax, taxed);
        config.invoices.creditNoteSeries = "PT";
      },
    });
    const till = await openTill(server);
    const { checkoutUrl, paymentId } = await till.buy(2000);
    const page = await fetch(checkoutUrl, { redirect: "manual" });
    const session = page.headers.get("location")!.split("/").at(-1)!;
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 333));
    const refunded = stripe.refund(session, 700);
    for (let again = 0; again < 2; again++) await stripe.report(server, "charge.refunded", refunded);
    const dispute = stripe.dispute(session, "needs_response", { amount: 1300 });
    await stripe.report(server, "charge.dispute.created", dispute);
    await stripe.report(server, "charge.dispute.closed", stripe.dispute(session, "won", { id: dispute, amount: 1300 }));
    const documents = await issued(till);
    expect(documents.map(({ number, kind, totalCents, about }) => [number, kind, totalCents, about])).toEqual([
      ["PT-2026-000001", "invoice", 2000, []],
      ["PT-2026-000002", "credit_note", -333, ["PT-2026-000001"]],
      ["PT-2026-000003", "credit_note", -367, ["PT-2026-000001"]],
      ["PT-2026-000004", "credit_note", -1300, ["PT-2026-000001"]],
      ["PT-2026-000005", "cancellation", 1300, ["PT-2026-000004"]],
    ]);
    const taxes = documents.map(({ taxCents }) => taxCents!);
    expect([taxes[0], taxes.slice(0, 4).reduce((sum, tax) => sum + tax)]).toEqual([319, 0]);
    expect(taxes[3]! + taxes[4]!).toBe(0);
    expect((await till.payment(paymentId)).document.number).toBe("PT-2026-000001");
    await stripe.close();
  });
});
