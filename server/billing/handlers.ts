import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Handlers } from "../http/call.ts";
import { accounts } from "../ledger/rules.ts";
import { balance } from "../ledger/store.ts";
import { notFound } from "../lib/api-error.ts";
import { take } from "./budgets/service.ts";
import { planPayment, toldOf, withinBudgets } from "./budgets/spending.ts";
import * as hoursStore from "./hours-store.ts";
import { paymentView, paymentViews } from "./invoices/views.ts";
import { openCheckout, requireCards, requirePayments, requireReturnable } from "./payments.ts";
import { statusAt } from "./rules.ts";
import * as paymentStore from "./store.ts";
import { hours, plans } from "./subscriptions/plans.ts";
import { hoursEntryView, planView } from "./views.ts";

const current = (deps: Deps, payment: paymentStore.PaymentRow) => ({ ...payment, status: statusAt(payment, deps.clock.now()) });

export const billing = {
  getBalance: (call) =>
    call.read(async (q) => ({
      balanceCents: await balance(q, accounts.credit(call.principal.userId)),
      currency: "USD",
      playtestMinutes: await balance(q, accounts.minutes(call.principal.userId)),
    })),

  async listPayments(call) {
    const page = call.page();
    const [rows, views] = await call.read(async (q) => {
      const found = await paymentStore.listForOwner(q, call.principal.userId, page);
      return [
        found,
        await paymentViews(
          q,
          found.map((row) => current(call.deps, row)),
        ),
      ];
    });
    return call.listed(page, rows, ({ length }) => ({ payments: views.slice(0, length) }));
  },

  async getPayment(call) {
    const payment = await call.read(async (q) => {
      const found = await paymentStore.findForOwner(q, call.params.id, call.principal.userId);
      return found && paymentView(q, current(call.deps, found));
    });
    if (!payment) throw notFound();
    return { payment };
  },

  async buyCredit(call) {
    requirePayments(call.deps);
    requireCards(call.deps);
    const { amountCents, returnUrl } = call.body;
    requireReturnable(returnUrl);
    const buy = async (tx: Tx) => {
      const planned = await planPayment(tx, call.principal, amountCents);
      const ownerId = call.principal.userId;
      const checkout = { ownerId, amountCents, returnUrl, purpose: "credit", description: "Playtest credit" } as const;
      const { payment, checkoutUrl } = await openCheckout(call.deps, tx, checkout);
      const told = toldOf(await take(tx, planned, { paymentId: payment.id }));
      return { checkoutUrl, paymentId: payment.id, amountCents, ...told };
    };
    return call.commit((tx) => withinBudgets(tx, () => buy(tx)));
  },

  listPlans: async ({ deps }) => ({ plans: plans.map(planView), configured: deps.cards !== null }),

  async getPlaytestHours(call) {
    const minutes = await call.read((q) => balance(q, accounts.minutes(call.principal.userId)));
    return { balanceMinutes: minutes, balanceHours: hours(minutes) };
  },

  async listPlaytestHoursHistory(call) {
    const page = call.page();
    const rows = await call.read((q) => hoursStore.listForOwner(q, call.principal.userId, page));
    return call.listed(page, rows, (items) => ({ entries: items.map(hoursEntryView) }));
  },
} satisfies Partial<Handlers>;
