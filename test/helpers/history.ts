import { ensureAdmin } from "../../server/accounts/service.ts";
import { takeRefund } from "../../server/billing/cards/disputes.ts";
import * as payments from "../../server/billing/store.ts";
import { openTill, type Till } from "./billing.ts";
import { openWallet } from "./crypto.ts";
import { createGame, order, type Person, personWith, play, registerPlaytester } from "./factories.ts";
import type { Reply, TestServer } from "./server.ts";

const day = 86_400_000;

async function done(reply: Promise<Reply>): Promise<Reply["body"]> {
  const { status, text, body } = await reply;
  if (status >= 300) throw new Error(text);
  return body.data;
}

/** A slot of every end: accepted, rejected, deleted, and one left open. */
async function everyEnd({ server, owner }: Till, gameId: string): Promise<Person> {
  const playtestId = await order(owner, gameId, { quantity: 4 });
  const worker = await registerPlaytester(server);
  await done(owner.post(`/playtests/slots/${await play(server, worker, playtestId)}/accept`));
  const rejected = await play(server, await registerPlaytester(server), playtestId);
  await done(owner.post(`/playtests/slots/${rejected}/reject`, { reason: "No sound." }));
  const { slots } = await done(owner.get(`/playtests/${playtestId}/slots`));
  await done(owner.delete(`/playtests/slots/${slots.find(({ status }: { status: string }) => status === "open").id}`));
  return worker;
}

async function pay(till: Till, cents: number): Promise<string> {
  const { paymentId } = await till.buy(cents);
  await done(till.complete(paymentId, "paid"));
  return paymentId;
}

/** Money of every kind that was paid in, spent, refunded and paid out on the sandbox: what the checks of the ledger look at. */
export async function createHistory(server: TestServer): Promise<void> {
  const till = await openTill(server);
  const wallet = await openWallet(server, till.owner);
  const admin = personWith(server, (await ensureAdmin(server.deps))!, "");
  const gameId = await createGame(till.owner);
  await pay(till, 40_000);
  await done(admin.post(`/admin/users/${till.owner.id}/credit`, { amountCents: 2500, note: "Thank you." }));
  const worker = await everyEnd(till, gameId);
  await order(till.owner, gameId, { quantity: 1, selectionMode: "manual" });

  const plan = await done(till.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" }));
  await done(server.request("POST", `/sandbox/subscriptions/${plan.subscriptionId}/complete`, { body: { outcome: "paid" } }));
  await done(admin.post(`/admin/users/${till.owner.id}/hours`, { minutes: 90, note: "Thank you." }));
  await everyEnd(till, gameId);

  await done(wallet.prove(await wallet.send(await wallet.ask(7500))));
  await wallet.prove(await wallet.send(await wallet.ask(2000), { by: -1_500_000 }));

  const refunded = await pay(till, 3000);
  const payment = (await server.deps.store.read((q) => payments.find(q, refunded)))!;
  await server.deps.store.write((tx) => takeRefund(tx, payment, { id: "re_1", cents: 1200 }));
  await chargeBackSpentCredit(server, admin);

  const { payout } = await done(admin.post("/admin/payouts", { userId: worker.id, amountCents: 400 }));
  await done(admin.post(`/admin/payouts/${payout.id}/fail`));
  await done(admin.post("/admin/payouts", { userId: worker.id, amountCents: 600 }));
  await server.advance(8 * day);
}

/** A chargeback of money that was spent, owed in part. */
async function chargeBackSpentCredit(server: TestServer, admin: Person): Promise<void> {
  const till = await openTill(server);
  const paymentId = await pay(till, 6000);
  await order(till.owner, await createGame(till.owner), { quantity: 2 });
  await done(admin.post(`/admin/payments/${paymentId}/chargeback`));
  await pay(till, 2500);
}
