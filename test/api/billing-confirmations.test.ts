import { expect, test } from "vitest";
import { openTill, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";

async function paid(till: Till, cents: number) {
  const { paymentId } = await till.buy(cents);
  await till.complete(paymentId, "paid");
}

/** Orders slots of 30 minutes, at $15.00 each. */
async function orderWithCredit({ owner }: Till, quantity: number): Promise<string> {
  const path = `/games/${await createGame(owner)}/playtests`;
  const reply = await owner.post(path, { quantity, durationMinutes: 30 }, { "x-payment-method": "credit" });
  return reply.body.data.playtest.id;
}

/** The text of the document of the last payment. */
async function confirmation({ owner, server }: Till) {
  const [{ id }] = (await owner.get("/billing/payments")).body.data.payments;
  const reply = await fetch(`${server.baseUrl}/api/v1/billing/payments/${id}/invoice`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  return pdfText(Buffer.from(await reply.arrayBuffer()));
}

onBothDatabases("confirmations of orders paid with credit", (serve) => {
  test("name the invoice of an order that a card paid only for what was refunded of it", async () => {
    const till = await openTill(await serve());
    await paid(till, 4000);
    const path = `/games/${await createGame(till.owner)}/playtests`;
    const byCard = await till.owner.post(path, { quantity: 2 }, { "x-payment-method": "card" });
    const { playtest, paymentId } = byCard.body.data;
    await till.complete(paymentId, "paid");
    await paid(till, 2000);
    await till.spend("credit", 3000);
    expect(await confirmation(till)).toContain("$30.00\nInvoice PT-2026-000001 of 2026-03-01\nThe money");
    await till.spend("credit", 3000);
    expect(await confirmation(till)).toContain(
      "$10.00\nInvoice PT-2026-000001 of 2026-03-01\n$20.00\nInvoice PT-2026-000003 of 2026-03-01\nThe money",
    );
    await till.owner.cancelPlaytest({ params: { id: playtest.id } });
    await till.spend("credit", 4000);
    expect(await confirmation(till)).toContain("$40.00\nInvoice PT-2026-000002 of 2026-03-01\nThe money");
  });

  test("name the invoice of what was refunded of a cancelled order, and no invoice for more than it brought", async () => {
    const till = await openTill(await serve());
    await paid(till, 3000);
    await paid(till, 3000);
    const first = await orderWithCredit(till, 2);
    await orderWithCredit(till, 2);
    expect(await confirmation(till)).toContain("$30.00\n2 × playtest of 30 minutes, 1 player\n2 × $15.00\n");
    expect(await confirmation(till)).toContain("$30.00\nInvoice PT-2026-000002 of 2026-03-01\nThe money");
    await till.owner.cancelPlaytest({ params: { id: first } });
    await paid(till, 3000);
    await orderWithCredit(till, 3);
    expect(await confirmation(till)).toContain(
      "$30.00\nInvoice PT-2026-000001 of 2026-03-01\n$15.00\nInvoice PT-2026-000003 of 2026-03-01\nThe money",
    );
  });

  test("name what was refunded of an order that two payments paid, once", async () => {
    const till = await openTill(await serve());
    await paid(till, 2000);
    await paid(till, 2500);
    const first = await orderWithCredit(till, 2);
    const [slot] = (await till.owner.listSlots({ params: { id: first } })).slots;
    expect((await till.owner.delete(`/slots/${slot!.id}`)).status).toBe(200);
    await till.spend("credit", 3000);
    expect(await confirmation(till)).toContain(
      "$5.00\nInvoice PT-2026-000001 of 2026-03-01\n$25.00\nInvoice PT-2026-000002 of 2026-03-01\n",
    );
    await till.owner.cancelPlaytest({ params: { id: first } });
    await till.spend("credit", 1500);
    expect(await confirmation(till)).toContain("$15.00\nInvoice PT-2026-000001 of 2026-03-01\n");
  });
});
