import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import { hostedOf } from "./cards/hosted.ts";
import { cancelPayment } from "./settle.ts";
import * as payments from "./store.ts";

/** Ends a checkout nobody paid in time. A success that arrives later still counts: the money is there. */
export async function lapsePayment(job: Job, deps: Deps): Promise<void> {
  const payment = await deps.store.read((q) => payments.find(q, String(job.payload.paymentId)));
  if (payment?.status !== "pending") return;
  const hosted = deps.cards === null ? undefined : hostedOf(deps, payment);
  // Asking the processor last finds what was paid although its report never came.
  if (hosted) return hosted.close(payment);
  await deps.store.write(async (tx) => {
    await cancelPayment(deps, tx, payment);
    await job.done(tx);
  });
}
