import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { creditTaken } from "../../server/billing/cards/dispute-rules.ts";
import { issueMissing } from "../../server/billing/invoices/service.ts";
import { invoiceOf } from "../../server/billing/invoices/store.ts";
import { migrate } from "../../server/database/migrate.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { accounts, type Transfer, topUpTransfers } from "../../server/ledger/rules.ts";
import { post } from "../../server/ledger/store.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { startTestServer } from "../helpers/server.ts";
import { stamped } from "../helpers/stamped.ts";
import { drivers, openBefore, type TestStore } from "../helpers/store.ts";

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const ownerId = "00000000-0000-7000-8000-000000000001";
const owner = {
  ...{ id: ownerId, email: "a@example.com", email_key: "a@example.com", password_hash: "!", role: "game_owner" },
  ...{ display_name: "Ada", company_name: "Moon Games", created_at: 1, updated_at: 1 },
};

describe.each(drivers)("the migration of invoices ($name)", (driver) => {
  let store: TestStore;
  let ids = 0;
  const newId = () => `00000000-0000-7000-8000-${String(++ids + 100).padStart(12, "0")}`;
  beforeEach(async () => {
    store = await openBefore(driver, "033-invoices");
  });
  afterEach(() => store.remove());

  const transfer = (posted: Transfer, now: number) => store.write((tx) => post(stamped(tx, { now, newId }), posted));

  async function payment(id: string, day: string, provider = "sandbox", status = "completed") {
    const times = { created_at: at(day), updated_at: at(day), completed_at: status === "pending" ? null : at(day) };
    const row = {
      id,
      owner_id: ownerId,
      amount_cents: 2000,
      status,
      provider,
      external_id: `cs_${id}`,
      purpose: "credit",
      ...times,
    };
    await store.write((tx) => insertRow(tx, "payments", row));
    if (provider !== "sandbox" || status === "pending") return;
    const paid = {
      eventKey: `topup:${id}`,
      from: accounts.processor("sandbox"),
      ownerId,
      paymentId: id,
      cents: 2000,
      settles: 0,
    };
    for (const posted of topUpTransfers(paid)) await transfer(posted, at(day));
  }
  /** As an earlier version issued them, at their first download. */
  const issued = (paymentId: string, sequence: number) => {
    const number = `PT-2026-00000${sequence}`;
    const document = {
      number,
      issuedAt: 1,
      paidAt: 1,
      seller: { name: "Old", lines: [] },
      buyer: { name: "Old", lines: [] },
      lines: [],
    };
    const text = JSON.stringify({ ...document, totalCents: 2000, currency: "USD", paymentId, paidBy: "Card", reference: "" });
    const row = {
      payment_id: paymentId,
      issuer: "PT",
      year: 2026,
      sequence,
      number,
      document: text,
      issued_at: at("2026-02-20"),
    };
    return store.write((tx) => insertRow(tx, "invoices", row));
  };

  it("keeps the numbers that were issued, voids those of orders, and issues the rest in the order of payments", async () => {
    await store.write((tx) => insertRow(tx, "users", owner));
    await payment("pay-b", "2026-01-02");
    await payment("pay-a", "2026-01-01");
    await payment("pay-old", "2025-12-30");
    await payment("pay-c", "2026-02-01", "sandbox", "disputed");
    await payment("pay-order", "2026-02-02", "credit");
    await payment("pay-open", "2026-02-03", "sandbox", "pending");
    await issued("pay-order", 1);
    await issued("pay-b", 2);
    const dispute = { id: "dp_1", payment_id: "pay-c", kind: "dispute", cents: 2000, state: "taken", fee_cents: 0 };
    const reversal = { ...dispute, created_at: at("2026-03-01"), updated_at: at("2026-03-01") };
    await store.write((tx) => insertRow(tx, "payment_reversals", reversal));
    const reversed = { eventKey: "dispute:dp_1", paymentId: "pay-c", ownerId, processor: "sandbox", cents: 2000 };
    await transfer(creditTaken(reversed, 2000), at("2026-03-01"));

    await migrate(store);
    const checked = async () =>
      (await store.read(checkLedger))
        .filter(({ name }) => /^ledger_1[12]/.test(name))
        .map(({ name, ok, warning = false }) => ({ name, ok, warning }));
    const totals = { name: "ledger_11_invoices", ok: true };
    const numbers = { name: "ledger_12_invoice_numbers", ok: true, warning: false };
    expect(await checked()).toEqual([{ ...totals, warning: true }, numbers]);
    const server = await startTestServer({ store });
    await issueMissing(server.deps);
    expect(await checked()).toEqual([{ ...totals, warning: false }, numbers]);
    const rows = await store.read((q) =>
      q.all<{ payment_id: string }>(
        "SELECT payment_id, kind, number, total_cents, created_at FROM billing_documents ORDER BY number",
      ),
    );
    const row = (payment_id: string, kind: string, number: string, total_cents: number, day: string) => ({
      ...{ payment_id, kind, number, total_cents },
      created_at: at(day),
    });
    expect(rows).toEqual([
      row("pay-old", "invoice", "PT-2025-000001", 2000, "2025-12-30"),
      row("pay-order", "void", "PT-2026-000001", 0, "2026-02-20"),
      row("pay-b", "invoice", "PT-2026-000002", 2000, "2026-02-20"),
      row("pay-a", "invoice", "PT-2026-000003", 2000, "2026-01-01"),
      row("pay-c", "invoice", "PT-2026-000004", 2000, "2026-02-01"),
      row("pay-c", "credit_note", "PT-CN-2026-000001", -2000, "2026-03-01"),
    ]);
    const kept = (await store.read((q) => invoiceOf(q, "pay-b")))!;
    expect((await server.deps.printer.invoice(JSON.parse(kept.document))).subarray(0, 5).toString()).toBe("%PDF-");
    await server.close();
  });
});
