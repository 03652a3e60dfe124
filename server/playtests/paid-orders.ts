import type { PaidOrders } from "../app/tx.ts";
import { orderTransfer } from "../ledger/rules.ts";
import { post } from "../ledger/store.ts";
import { activate } from "./orders.ts";
import { awaitsPayment, wasPaid } from "./slots/rules.ts";
import * as playtests from "./store.ts";

/** Activates unpaid orders when their card or crypto payment arrives. */
export const paidOrders: PaidOrders = {
  async awaitsPayment(tx, playtestId) {
    const playtest = await playtests.find(tx, playtestId);
    return playtest !== undefined && awaitsPayment(playtest, tx.now);
  },
  async wasPaid(tx, playtestId) {
    const playtest = await playtests.find(tx, playtestId);
    return playtest !== undefined && wasPaid(playtest);
  },
  async onPaid(tx, { playtestId, paymentId, amountCents }) {
    const playtest = (await playtests.find(tx, playtestId))!;
    const order = { playtestId, ownerId: playtest.owner_id, paymentId, amount: amountCents };
    await post(tx, orderTransfer({ ...order, paidWith: "credit" }));
    await activate(tx, playtest, "credit", paymentId);
  },
};
