import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import { hostedOf } from "./cards/hosted.ts";
import { cancelPayment } from "./settle.ts";
import * as payments from "./store.ts";

/** Cancels a checkout that was not paid in time. If a payment is reported later, it is still credited, because the money arrived. */
export async function expirePayment(job: Job, deps: Deps): Promise<void> {
  const payment = await deps.store.read((q) => payments.find(q, String(job.payload.paymentId)));
  if (payment?.status !== "pending") return;
  const hosted = deps.cards === null ? undefined : hostedOf(deps, payment);
  // Asks the processor once more, in case it was paid but the webhook never arrived.
  if (hosted) return hosted.close(payment);
  await deps.store.write(async (tx) => {
    await cancelPayment(tx, payment);
    await job.done(tx);
  });
}
