import { disputePayment } from "../billing/disputes.ts";
import type { Deps } from "../deps.ts";
import * as payments from "../store/payments.ts";
import type { Job } from "./runner.ts";

/** What the sandbox's disputing test card does after a day. */
export async function disputeLater(job: Job, deps: Deps): Promise<void> {
  await deps.store.write(async (tx) => {
    const payment = await payments.find(tx, String(job.payload.paymentId));
    if (payment?.status === "completed") await disputePayment(deps, tx, payment);
    await job.done(tx);
  });
}
