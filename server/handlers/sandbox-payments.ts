import { actAtCheckout } from "../billing/sandbox.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../problem.ts";
import * as payments from "../store/payments.ts";
import type { Some } from "./index.ts";
import { paymentView } from "./views.ts";

/** Sandbox routes that play the person at the checkout (decisions §13). */
export function sandboxPayments(deps: Deps): Some<"completePayment"> {
  return {
    completePayment: (call) =>
      call.commit(async (tx) => {
        const payment = await payments.find(tx, call.params.id);
        if (!payment) throw notFound();
        await actAtCheckout(deps, tx, payment, call.body.outcome);
        return { payment: paymentView((await payments.find(tx, payment.id))!) };
      }),
  };
}
