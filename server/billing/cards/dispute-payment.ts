import type { Deps } from "../../app/deps.ts";
import type { Job } from "../../jobs/job.ts";
import * as payments from "../store.ts";
import { disputePayment } from "./disputes.ts";

/** Disputes the payment, if it is completed: the sandbox's test card for disputes does so after a day. */
export async function disputeLater(job: Job, deps: Deps): Promise<void> {
  await deps.store.write(async (tx) => {
    const payment = await payments.find(tx, String(job.payload.paymentId));
    if (payment?.status === "completed") await disputePayment(tx, payment);
    await job.done(tx);
  });
}
