import * as payments from "../../server/billing/store.ts";
import { updateRow } from "../../server/database/rows.ts";
import { accounts } from "../../server/ledger/rules.ts";
import * as ledger from "../../server/ledger/store.ts";
import { activate, charge, placeOrder } from "../../server/playtests/orders.ts";
import { orderBody } from "../../src/contract/order-body.ts";
import { createGame, type Person, registerOwner } from "./factories.ts";
import type { TestServer } from "./server.ts";

/** What a person types at the sandbox checkout to pay. */
export const goodCard = { number: "4242 4242 4242 4242", expiry: "12/34", cvc: "123" };

/** Posts a form as a browser does, without following where it leads. */
export const submit = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });

/** Flags a payment as if its refund had failed. */
export const flagPayment = ({ deps }: TestServer, id: string) =>
  deps.store.write((tx) => payments.flag(tx, id, "refund re_1 failed: the amount is back at the processor", tx.now));

/** An owner at the till: what they do about money, and what it did to their account. */
export async function openTill(server: TestServer, name?: string) {
  const owner: Person = await registerOwner(server, name);
  const { deps } = server;

  return {
    server,
    owner,
    async buy(amountCents = 2000, returnUrl?: string) {
      const reply = await owner.post("/billing/credit", { amountCents, returnUrl });
      if (reply.status !== 200) throw new Error(`could not buy credit: ${reply.text}`);
      return reply.body.data as { checkoutUrl: string; paymentId: string; amountCents: number };
    },
    payment: async (id: string) => (await owner.get(`/billing/payments/${id}`)).body.data.payment,
    credit: async (): Promise<number> => (await owner.get("/billing/balance")).body.data.balanceCents,
    minutes: async (): Promise<number> => (await owner.get("/billing/balance")).body.data.playtestMinutes,
    complete: (id: string, outcome: string) => server.request("POST", `/sandbox/payments/${id}/complete`, { body: { outcome } }),
    /** The data of the owner's events of one kind, oldest first. */
    async events(kind: string): Promise<Record<string, unknown>[]> {
      const sql = "SELECT data FROM events WHERE account_id = ? AND kind = ? ORDER BY created_at, id";
      const rows = await deps.store.read((q) => q.all<{ data: string }>(sql, owner.id, kind));
      return rows.map((row) => JSON.parse(row.data));
    },
    async flag(id: string) {
      const sql = "SELECT flagged FROM payments WHERE id = ?";
      return (await deps.store.read((q) => q.one<{ flagged: string | null }>(sql, id)))?.flagged;
    },
    owedCents: () => deps.store.read((q) => ledger.balance(q, accounts.receivable(owner.id))),
    owedMinutes: () => deps.store.read((q) => ledger.balance(q, accounts.minutesReceivable(owner.id))),
    /** Uses up credit or minutes: an order of one slot at just this price. */
    async spend(paidWith: "credit" | "hours", amount: number) {
      const gameId = await createGame(owner);
      const order = orderBody.parse({ quantity: 1 });
      await deps.store.write(async (tx) => {
        const { playtest } = await placeOrder(
          deps,
          tx,
          { gameId, caller: { userId: owner.id, keyId: "none", sessionId: null } },
          order,
          "card",
        );
        const price = { cost_per_slot_cents: amount, duration_minutes: paidWith === "hours" ? amount : 60 };
        await updateRow(tx, "playtests", playtest.id, price);
        const need = { totalCents: amount, minutesNeeded: amount };
        const priced = { ...playtest, ...price };
        await activate(tx, priced, paidWith, await charge(deps, tx, priced, paidWith, need));
      });
    },
  };
}

export type Till = Awaited<ReturnType<typeof openTill>>;
