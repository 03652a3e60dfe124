import { expect, test } from "vitest";
import { openTill, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveMinutes, order, registerOwner } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";

const invoice = (till: Pick<Till, "owner" | "server">, paymentId: string) =>
  fetch(`${till.server.baseUrl}/api/v1/billing/payments/${paymentId}/invoice`, {
    headers: { authorization: `Bearer ${till.owner.key}` },
  });
const textOf = async (reply: Response) => pdfText(Buffer.from(await reply.arrayBuffer()));
const numberOf = (reply: Response) => /filename="(.*)\.pdf"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];

async function paid(till: Till, cents = 2000) {
  const { paymentId } = await till.buy(cents);
  await till.complete(paymentId, "paid");
  return paymentId;
}

onBothDatabases("invoices", (serve) => {
  test("contents: number, parties, dates, lines, total and payment", async () => {
    const server = await serve({
      config: (config) => {
        Object.assign(config.invoices.seller, { name: "Lantern Markets", lines: ["1 Quay Street", "VAT 42"] });
      },
    });
    const till = await openTill(server, "Studio Lantern");
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
      ...["From", "Lantern Markets", "1 Quay Street", "VAT 42"],
      ...["Billed to", "Studio Lantern", "game_owner1@example.com"],
      ...["Description", "Amount (USD)", "$1,234.56", "Playtest credit", "Total", "$1,234.56"],
      ...["Payment", id, "Paid by", "Card (sandbox: no real money moved)"],
      ...["Reference", (await till.payment(id)).externalId, ""],
    ]);
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
    expect(await textOf(await invoice(till, await paid(till)))).toContain("42 \nםולש");
  });

  test("numbers: without gaps, also for concurrent requests, and from 1 again each year", async () => {
    const till = await openTill(await serve());
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push(await paid(till));
    const replies = await Promise.all([...ids, ...ids].map((id) => invoice(till, id)));
    const numbers = replies.map(numberOf);
    expect(numbers.slice(0, 6)).toEqual(numbers.slice(6));
    expect(numbers.slice(0, 6).sort()).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => `PT-2026-00000${sequence}`));
    const midnight = Date.parse("2027-01-01T00:00:00Z");
    await till.server.advance(midnight - 1 - till.server.clock.now());
    const around: string[] = [];
    for (let count = 0; count < 5; count++) around.push(await paid(till));
    const [lastOfYear] = await Promise.all(around.slice(0, 2).map((id) => invoice(till, id)));
    await till.server.advance(1);
    const firstOfYear = await Promise.all(around.map((id) => invoice(till, id)));
    expect(["PT-2026-000007", "PT-2026-000008"]).toContain(numberOf(lastOfYear!));
    expect(firstOfYear.map(numberOf).sort()).toEqual([
      ...["PT-2026-000007", "PT-2026-000008"],
      ...["PT-2027-000001", "PT-2027-000002", "PT-2027-000003"],
    ]);
  });

  test("an issued invoice: stays the same bytes when the account changes its name", async () => {
    const till = await openTill(await serve(), "Old Name");
    const id = await paid(till);
    const first = await (await invoice(till, id)).arrayBuffer();
    await till.owner.patch("/auth/profile", { companyName: "New Name" });
    await till.server.advance(3_600_000);
    expect(Buffer.from(await (await invoice(till, id)).arrayBuffer()).equals(Buffer.from(first))).toBe(true);
  });

  test.each(["pending", "declined", "cancelled", "disputed"])("a payment that is %s: has no invoice", async (outcome) => {
    const till = await openTill(await serve());
    const { paymentId } = await till.buy();
    if (outcome === "disputed") await till.complete(paymentId, "paid");
    if (outcome !== "pending") await till.complete(paymentId, outcome);
    const reply = await till.owner.get(`/billing/payments/${paymentId}/invoice`);
    expect([reply.status, reply.body.error.code]).toEqual([409, "CONFLICT"]);
  });

  test("an order paid with hours: has an invoice; another owner's payment is 404", async () => {
    const till = await openTill(await serve());
    await giveMinutes(till.server, till.owner, 60);
    await order(till.owner, await createGame(till.owner));
    const [payment] = (await till.owner.get("/billing/payments")).body.data.payments;
    expect(await textOf(await invoice(till, payment.id))).toContain("Playtest hours");
    const other = await registerOwner(till.server);
    expect((await other.get(`/billing/payments/${payment.id}/invoice`)).status).toBe(404);
  });
});
