import { cancelPayment } from "../billing/settle.ts";
import type { Deps } from "../deps.ts";
import * as payments from "../store/payments.ts";
import type { Job } from "./runner.ts";

/** Ends a checkout nobody paid in time. A success that arrives later still counts (decisions §7). */
export async function lapsePayment(job: Job, deps: Deps): Promise<void> {
  await deps.store.write(async (tx) => {
    const payment = await payments.find(tx, String(job.payload.paymentId));
    if (payment) await cancelPayment(deps, tx, payment);
    await job.done(tx);
  });
}
