import { expect, test } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { takeRefund } from "../../server/billing/cards/disputes.ts";
import { find as findPayment } from "../../server/billing/store.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { openTill } from "../helpers/billing.ts";
import { asking, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  type ExpectedFigures,
  expectedFigures,
  type PlanName,
  planFigures,
  prices,
  type Terms,
} from "../helpers/expected-figures.ts";
import { createGame, type Person, personWith } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const day = 86_400_000;
const months = 24;
const startOf = (month: number) => Date.UTC(2026, 2 + month, 1, 12);

interface Slot {
  id: string;
  status: string;
}

/** The owner, the people around them, and what their figures must be. */
async function begin(server: TestServer) {
  const till = await openTill(server, "Studio Lantern");
  const { owner } = till;
  const sandbox = async (path: string, body: unknown) => {
    const reply = await server.request("POST", `/sandbox${path}`, { body });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
    return reply.body.data;
  };
  const key = (await ensureAdmin(server.deps))!;
  const { testers } = await sandbox("/testers", { count: 4 });
  return {
    ...{ server, till, owner, sandbox },
    wallet: await openWallet(server, owner),
    admin: personWith(server, key, ""),
    testers: testers.map((tester: { id: string; apiKey: string }) => personWith(server, tester.apiKey, tester.id)) as Person[],
    gameId: await createGame(owner),
    expected: expectedFigures(),
    plan: undefined as { id: string; name: PlanName; fails: boolean } | undefined,
    /** What time alone brings within the month, and what is done when the next begins. */
    soon: [] as (() => Promise<void>)[],
    later: [] as (() => Promise<void>)[],
    documented: new Set<string>(),
  };
}

type Life = Awaited<ReturnType<typeof begin>>;

async function done(reply: Promise<Reply>): Promise<Reply["body"]> {
  const { status, text, body } = await reply;
  if (status >= 300) throw new Error(text);
  return body.data;
}

async function advanceTo({ server, sandbox }: Life, at: number): Promise<void> {
  await sandbox("/clock/advance", { seconds: (at - server.clock.now()) / 1000 });
}

async function topUp(life: Life, cents: number): Promise<string> {
  const { paymentId } = await life.till.buy(cents);
  await life.sandbox(`/payments/${paymentId}/complete`, { outcome: "paid" });
  life.expected.note("sandbox", cents, "completed");
  life.expected.topUp(cents);
  return paymentId;
}

function placedAs({ owner }: Life, id: string, by: Terms["by"], durationMinutes: number) {
  const slots = async (status: string): Promise<Slot[]> =>
    (await done(owner.get(`/playtests/${id}/slots`))).slots.filter((slot: Slot) => slot.status === status);
  return { id, terms: { by, ...prices[durationMinutes]!, minutes: durationMinutes }, slots };
}

async function place(life: Life, by: Terms["by"], order: { quantity: number; durationMinutes: number; selectionMode?: string }) {
  const reply = await done(life.owner.post(`/games/${life.gameId}/playtests`, order, { "x-payment-method": by }));
  const placed = placedAs(life, reply.playtest.id, by, order.durationMinutes);
  life.expected.order(placed.terms, order.quantity);
  return placed;
}

type Placed = ReturnType<typeof placedAs>;

const playSlot = (life: Life, slot: Slot, tester: Person) => life.sandbox(`/slots/${slot.id}/play`, { testerId: tester.id });
const review = (life: Life, slot: Slot, verb: string, body?: unknown) => done(life.owner.post(`/slots/${slot.id}/${verb}`, body));

async function accept(life: Life, { terms }: Placed, slot: Slot, tester: Person): Promise<void> {
  await review(life, slot, "accept", { rating: 5 });
  life.expected.accept(terms, tester.id);
}

async function deleteOpen(life: Life, { terms, slots }: Placed): Promise<void> {
  for (const slot of await slots("open")) {
    await done(life.owner.delete(`/playtests/slots/${slot.id}`));
    life.expected.refund(terms, "slot_refund");
  }
}

/** Four slots: one accepted, one rejected, one accepted at the second try, one taken and never played, or deleted at once. */
async function everyOutcome(life: Life, by: Terms["by"], late: boolean): Promise<void> {
  const placed = await place(life, by, { quantity: 4, durationMinutes: 60 });
  const [first, second, third, fourth] = await placed.slots("open");
  const [anna, ben, cem, dora] = life.testers;
  await playSlot(life, first!, anna!);
  await accept(life, placed, first!, anna!);
  await playSlot(life, second!, ben!);
  await review(life, second!, "reject", { reason: "No sound." });
  life.expected.reject(placed.terms);
  await playSlot(life, third!, cem!);
  await review(life, third!, "reject", { reason: "Cut short.", allowRetry: true });
  const [retry] = await placed.slots("reserved");
  await playSlot(life, retry!, cem!);
  await accept(life, placed, retry!, cem!);
  if (!late) return deleteOpen(life, placed);
  await done(dora!.post(`/playtester/playtests/${placed.id}/claim`));
  expect((await placed.slots("reserved")).map(({ id }) => id)).toEqual([fourth!.id]);
  life.later.push(() => deleteOpen(life, placed));
}

/** Two slots by application: one is played, the window closes over the other. */
async function manual(life: Life): Promise<void> {
  const placed = await place(life, "credit", { quantity: 2, durationMinutes: 120, selectionMode: "manual" });
  const [first] = await placed.slots("open");
  await playSlot(life, first!, life.testers[3]!);
  await accept(life, placed, first!, life.testers[3]!);
  life.soon.push(async () => {
    expect(await placed.slots("expired")).toHaveLength(1);
    life.expected.refund(placed.terms, "manual_slot_expired");
  });
}

/** Orders for all there is, to be taken back a month later. */
async function spendAll(life: Life, by: Terms["by"]): Promise<void> {
  const { credit, minutes } = life.expected.own;
  const [left, durationMinutes] = by === "credit" ? [credit / 1500, 30] : [minutes / 120, 120];
  for (let slots = Math.floor(left); slots > 0; slots -= 10) {
    const placed = await place(life, by, { quantity: Math.min(slots, 10), durationMinutes });
    life.later.push(() => deleteOpen(life, placed));
  }
}

async function subscribe(life: Life, name: PlanName): Promise<void> {
  const { subscriptionId: id } = await done(life.owner.post("/billing/subscription/checkout", { planKey: name }));
  await life.sandbox(`/subscriptions/${id}/complete`, { outcome: "paid" });
  life.expected.payPlan(planFigures[name]);
  life.plan = { id, name, fails: false };
}

async function setRenewals(life: Life, outcome: "paid" | "failed"): Promise<void> {
  await life.sandbox(`/subscriptions/${life.plan!.id}/renewals`, { outcome });
  life.plan!.fails = outcome === "failed";
}

/** The card is tried: at the due date, and 1, 3 and 5 days later while it fails. */
function expectCharge({ plan, expected }: Life): void {
  const figures = planFigures[plan!.name];
  if (plan!.fails) expected.note("sandbox", figures.price, "failed");
  else expected.payPlan(figures);
}

/** Disputed payments freeze the owner's orders until the operator lets them go on. */
async function liftDisputes({ admin }: Life): Promise<void> {
  const { disputes } = await done(admin.get("/admin/disputes"));
  for (const { paymentId } of disputes)
    await done(admin.post(`/admin/payments/${paymentId}/lift-dispute`, { note: "To go on." }));
}

const statusOf = async ({ owner }: Life) => (await done(owner.get("/billing/subscription"))).subscription;

async function payOutAll(life: Life): Promise<string[]> {
  const ids: string[] = [];
  for (const [userId, amountCents] of [...life.expected.earned].filter(([, cents]) => cents > 0)) {
    const { payout } = await done(life.admin.post("/admin/payouts", { userId, amountCents }));
    ids.push(payout.id);
    life.expected.payOut(userId, amountCents);
  }
  return ids;
}

/** Two deposits that are too small: one is credited by an admin, the other sent back. */
async function lateDeposits({ wallet, admin, owner, expected }: Life): Promise<void> {
  for (const by of [-1_000_000, -2_000_000]) {
    await wallet.prove(await wallet.send(await wallet.ask(3000), { by }));
    expected.note("x402", 3000, "cancelled");
  }
  const { suspense } = await done(admin.get("/admin/suspense"));
  const [second, first] = suspense;
  await done(admin.post(`/admin/suspense/${first.id}/resolve`, { userId: owner.id, note: "Close enough." }));
  expected.note("x402", 2900, "completed");
  expected.topUp(2900, "assets:crypto:base:USDC");
  await done(admin.post(`/admin/suspense/${second.id}/refund`, { note: "Sent back." }));
}

/** What happens on the first of a month, beside the orders of every month. */
const script: Record<number, (life: Life) => Promise<void>> = {
  async 0(life) {
    await topUp(life, 60_000);
    await subscribe(life, "indie_monthly");
  },
  async 2(life) {
    await done(life.admin.post(`/admin/users/${life.owner.id}/credit`, { amountCents: 2500, note: "Thank you." }));
    life.expected.goodwill(2500);
    await done(life.admin.post(`/admin/users/${life.owner.id}/hours`, { minutes: 90, note: "Thank you." }));
    life.expected.grant(90, "admin_grant");
  },
  async 3(life) {
    for (const [outcome, status] of Object.entries({ declined: "failed", cancelled: "cancelled" })) {
      const { paymentId } = await life.till.buy(3000);
      await life.sandbox(`/payments/${paymentId}/complete`, { outcome });
      life.expected.note("sandbox", 3000, status);
    }
    const [late] = [await life.till.buy(2500), await life.till.buy(2600)];
    await advanceTo(life, startOf(3) + 2 * day);
    await life.sandbox(`/payments/${late.paymentId}/complete`, { outcome: "paid" });
    life.expected.note("sandbox", 2500, "completed");
    life.expected.topUp(2500);
    life.expected.note("sandbox", 2600, "cancelled");
  },
  async 4(life) {
    const asked = await life.wallet.ask(7500);
    await done(life.wallet.prove(await life.wallet.send(asked)));
    life.expected.note("x402", 7500, "completed");
    life.expected.topUp(7500, "assets:crypto:base:USDC");
  },
  async 5(life) {
    await subscribe(life, "studio_monthly");
  },
  async 7(life) {
    // Credit and hours would pay this order first, so it is placed for a card and paid by crypto then.
    const order = { durationMinutes: 60, quantity: 2 };
    const { playtest } = await done(life.owner.post(`/games/${life.gameId}/playtests`, order, { "x-payment-method": "card" }));
    const pay = (headers: Record<string, string>) =>
      life.owner.post(`/playtests/${playtest.id}/pay`, { method: "x402" }, headers);
    const txHash = await life.wallet.send(await pay(asking("solana", "USDC")));
    await done(pay(proof(txHash, "solana", "USDC")));
    life.expected.note("x402", 4000, "completed");
    life.expected.note("sandbox", 4000, "cancelled");
    life.expected.topUp(4000, "assets:crypto:solana:USDC");
    const placed = placedAs(life, playtest.id, "credit", 60);
    life.expected.hold(placed.terms, 2);
    const [first] = await placed.slots("open");
    await playSlot(life, first!, life.testers[1]!);
    await accept(life, placed, first!, life.testers[1]!);
    await deleteOpen(life, placed);
  },
  8: (life) => setRenewals(life, "failed"),
  async 9(life) {
    expect(await statusOf(life)).toMatchObject({ status: "past_due" });
    const [failed] = await payOutAll(life);
    const { payout } = await done(life.admin.post(`/admin/payouts/${failed}/fail`));
    life.expected.payOut(payout.userId, -payout.amountCents);
    await advanceTo(life, startOf(9) + day);
    expectCharge(life);
    await setRenewals(life, "paid");
    await advanceTo(life, startOf(9) + 3 * day);
    expectCharge(life);
    expect(await statusOf(life)).toMatchObject({ status: "active" });
  },
  async 11(life) {
    const paymentId = await topUp(life, 15_000);
    await spendAll(life, "credit");
    await done(life.admin.post(`/admin/payments/${paymentId}/chargeback`));
    life.expected.reverseTopUp(15_000, "disputed");
    expect(life.expected.own).toMatchObject({ credit: 0, owed: expect.any(Number) });
    expect(life.expected.own.owed).toBeGreaterThan(13_000);
    await liftDisputes(life);
    await topUp(life, 5000);
    expect(life.expected.own.owed).toBeGreaterThan(8000);
  },
  async 12(life) {
    // What was taken back of the orders has paid the rest of the debt.
    expect(life.expected.own.owed).toBe(0);
    await topUp(life, 40_000);
  },
  async 13(life) {
    const paymentId = await topUp(life, 5500);
    const { deps } = life.server;
    const payment = (await deps.store.read((q) => findPayment(q, paymentId)))!;
    await deps.store.write((tx) => takeRefund(tx, payment, { id: "re_1", cents: 5500 }));
    life.expected.reverseTopUp(5500, "refunded");
    await lateDeposits(life);
  },
  async 14(life) {
    await spendAll(life, "hours");
    await life.sandbox(`/subscriptions/${life.plan!.id}/complete`, { outcome: "disputed" });
    life.expected.disputePlan(planFigures.studio_monthly);
    life.plan = undefined;
    expect(await statusOf(life)).toMatchObject({ status: "cancelled", endedReason: "chargeback" });
    await liftDisputes(life);
    await done(life.admin.post(`/admin/users/${life.owner.id}/hours`, { minutes: 400, note: "To go on." }));
    life.expected.grant(400, "admin_grant");
    expect(life.expected.own).toMatchObject({ minutes: 0, owedMinutes: expect.any(Number) });
    expect(life.expected.own.owedMinutes).toBeGreaterThan(900);
  },
  async 15(life) {
    await subscribe(life, "indie_monthly");
    await setRenewals(life, "failed");
  },
  async 16(life) {
    for (const days of [1, 3, 5]) {
      await advanceTo(life, startOf(16) + days * day);
      expectCharge(life);
    }
    expect(await statusOf(life)).toMatchObject({ status: "cancelled", endedReason: "payment_failed" });
    life.plan = undefined;
  },
  18: (life) => subscribe(life, "studio_monthly"),
  async 20(life) {
    await done(life.owner.post("/billing/subscription/cancel"));
    await done(life.owner.post("/billing/subscription/resume"));
  },
  async 22(life) {
    await done(life.owner.post("/billing/subscription/cancel"));
    life.plan = undefined;
  },
};

async function liveMonth(life: Life, month: number): Promise<void> {
  for (const act of life.later.splice(0)) await act();
  await script[month]?.(life);
  const { own } = life.expected;
  if (own.credit < 20_000 && month !== 11) await topUp(life, 2000 * (11 + month));
  if (own.credit >= 15_000) {
    await everyOutcome(life, "credit", month % 2 === 1);
    if (month % 3 === 1) await manual(life);
  }
  if (own.minutes >= 240) await everyOutcome(life, "hours", month % 3 === 0);
  if (month % 4 === 3) await payOutAll(life);
  await advanceTo(life, startOf(month + 1));
  for (const check of life.soon.splice(0)) await check();
  if (life.plan) expectCharge(life);
}

async function listAll(owner: Person, path: string, name: string) {
  const items: Reply["body"][] = [];
  for (let cursor = ""; ; ) {
    const { body } = await owner.get(`${path}?limit=100${cursor}`);
    items.push(...body.data[name]);
    if (!body.meta.hasMore) return items;
    cursor = `&cursor=${encodeURIComponent(body.meta.cursor)}`;
  }
}

const hasArrived = ({ status }: Reply["body"]) => ["completed", "disputed", "refunded"].includes(status);
const isOfMoney = ({ provider }: Reply["body"]) => !["credit", "playtest_hours"].includes(provider);

/** Downloads the documents of payments that were not there before: an invoice, a confirmation of an order, or none. */
async function checkDocuments({ server, owner, documented }: Life, payments: Reply["body"][]): Promise<void> {
  for (const payment of payments.filter(({ id }) => !documented.has(id))) {
    const address = `${server.baseUrl}/api/v1/billing/payments/${payment.id}/invoice`;
    const reply = await fetch(address, { headers: { authorization: `Bearer ${owner.key}` } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(reply.status).toBe(hasArrived(payment) ? 200 : 409);
    if (!hasArrived(payment)) continue;
    documented.add(payment.id);
    const name = reply.headers.get("content-disposition");
    if (isOfMoney(payment)) expect(name).toContain(`filename="${payment.document.number}.pdf"`);
    else expect(name).toContain('filename="order-');
    if (payment.provider === "playtest_hours") continue;
    const amount = `$${(payment.amountCents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
    expect(pdfText(bytes)).toContain(amount);
  }
}

/** Each payment of money has one invoice, the numbers have the order of time and no gaps, and the sum is the money received. */
async function checkInvoices({ owner }: Life, payments: Reply["body"][]): Promise<void> {
  const invoices = await listAll(owner, "/billing/invoices", "invoices");
  const arrived = payments.filter((payment) => isOfMoney(payment) && hasArrived(payment));
  expect(sorted(invoices.filter(({ kind }) => kind === "invoice").map((one) => `${one.paymentId} ${one.totalCents}`))).toEqual(
    sorted(arrived.map(({ id, amountCents }) => `${id} ${amountCents}`)),
  );
  const kept = arrived.filter(({ status }) => status === "completed");
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  expect(sum(invoices.map(({ totalCents }) => totalCents))).toBe(sum(kept.map(({ amountCents }) => amountCents)));
  for (const series of new Set(invoices.map(({ number }) => number.slice(0, -6)))) {
    const ordered = invoices.filter(({ number }) => number.startsWith(series)).sort((a, b) => (a.number < b.number ? -1 : 1));
    expect(ordered.map(({ number }) => number)).toEqual(
      ordered.map((_, index) => `${series}${String(index + 1).padStart(6, "0")}`),
    );
    expect(ordered.map(({ issuedAt }) => issuedAt)).toEqual(sorted(ordered.map(({ issuedAt }) => issuedAt)));
    for (const { issuedAt } of ordered) expect(series).toContain(`-${issuedAt.slice(0, 4)}-`);
  }
}

const sorted = (lines: Iterable<string>) => [...lines].sort();

async function checkFigures(life: Life, expected: ExpectedFigures): Promise<void> {
  const { owner, till, server } = life;
  const { credit, owed, minutes, owedMinutes } = expected.own;
  const shown = await done(owner.get("/billing/balance"));
  expect(shown).toMatchObject({ balanceCents: credit, playtestMinutes: minutes });
  expect([await till.owedCents(), await till.owedMinutes()]).toEqual([owed, owedMinutes]);

  const entries = await listAll(owner, "/billing/playtest-hours/history", "entries");
  const lines = entries.map(({ amountMinutes, source }) => `${amountMinutes} ${source.split(":")[0]}`);
  expect(sorted(lines)).toEqual(sorted(expected.hours));
  expect(entries.reduce((sum, { amountMinutes }) => sum + amountMinutes, 0)).toBe(minutes);

  const payments = await listAll(owner, "/billing/payments", "payments");
  expect(sorted(payments.map(({ provider, amountCents, status }) => `${provider} ${amountCents} ${status}`))).toEqual(
    sorted(expected.payments),
  );
  await checkDocuments(life, payments);
  await checkInvoices(life, payments);

  for (const tester of life.testers) {
    const { balanceCents } = await done(tester.get("/playtester/earnings"));
    expect(balanceCents).toBe(expected.earned.get(tester.id) ?? 0);
  }
  const sums = await server.deps.store.read((q) =>
    q.all<{ account: string; amount: number }>(
      `SELECT account_id AS account, SUM(amount) AS amount FROM ledger_postings WHERE account_id LIKE 'revenue:%' OR account_id LIKE 'expense:%'
        OR account_id LIKE 'assets:processor:%' OR account_id LIKE 'assets:crypto:%' OR account_id IN ('assets:bank', 'min:issued', 'min:consumed') GROUP BY account_id`,
    ),
  );
  expect(Object.fromEntries(sums.map(({ account, amount }) => [account, Number(amount)]))).toEqual(
    Object.fromEntries(expected.system),
  );
  expect((await server.deps.store.read(checkLedger)).filter(({ ok }) => !ok)).toEqual([]);
}

onBothDatabases("two years of an owner", (serve) => {
  test("ledger, invoices and balances: agree to the cent and the minute at the end of each month", {
    timeout: 600_000,
  }, async () => {
    const life = await begin(await serve());
    for (let month = 0; month < months; month++) {
      await liveMonth(life, month);
      await checkFigures(life, life.expected);
    }
    expect(life.server.clock.now()).toBe(Date.parse("2028-03-01T12:00:00Z"));
    expect(life.expected.payments.length).toBeGreaterThan(90);
    expect(new Set(life.expected.payments.map((line) => line.replace(/ \d+ /, " ")))).toEqual(
      new Set([
        ...["completed", "failed", "cancelled", "disputed", "refunded"].map((status) => `sandbox ${status}`),
        ...["x402 completed", "x402 cancelled", "credit completed", "playtest_hours completed"],
      ]),
    );
  });
});
