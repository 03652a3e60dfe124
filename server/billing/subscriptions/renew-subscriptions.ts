import type { Deps } from "../../app/deps.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { beginRenewal, endRenewal } from "./renewals.ts";

const hour = 3_600_000;

/** Charges a plan whose period ended. The charge is sent between two transactions, with the payment's id, so that a repeat has no effect. */
export async function renewSubscription(job: Job, deps: Deps): Promise<void> {
  const { subscriptionId, periodIndex } = job.payload;
  const renewal = await deps.store.write((tx) => beginRenewal(tx, String(subscriptionId), Number(periodIndex)));
  if (!renewal) return;
  const { subscription, payment, isRepeat } = renewal;
  const { cards } = deps;
  if (cards?.name !== subscription.provider)
    throw new RetryLater(deps.clock.now() + hour, `${subscription.provider} is no longer configured`);
  const charge = {
    paymentId: payment.id,
    amountCents: payment.amount_cents,
    description: payment.description ?? "Playtest plan",
    triedAt: isRepeat ? payment.created_at : undefined,
  };
  const outcome =
    subscription.card === null
      ? ({ paid: false, reason: "No card is stored." } as const)
      : await cards.chargeSaved({ ...charge, card: subscription.card });
  await deps.store.write(async (tx) => {
    await endRenewal(tx, renewal, outcome);
    await job.done(tx);
  });
}
