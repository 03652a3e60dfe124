import type { DisputeEnding } from "../../../src/contract/billing.ts";
import * as users from "../../accounts/users-store.ts";
import type { Context, Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { queueMail } from "../../mail/queue.ts";
import { composeDisputed, composeDisputeEnded } from "../letters.ts";
import * as reversals from "../reversals-store.ts";
import type { PaymentRow } from "../store.ts";
import { takenOf } from "./dispute-rules.ts";

/** What an owner is told when a dispute of one of their payments begins and ends, inside the caller's transaction. */
export async function announceDispute(tx: Tx, payment: PaymentRow, cents: number): Promise<void> {
  const owner = (await users.find(tx, payment.owner_id))!;
  const plan = planOf(payment, (await takenFrom(tx, payment)) >= payment.amount_cents);
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "payment.disputed",
    data: { paymentId: payment.id, amountCents: cents },
    notice: { amountCents: cents, disputedPlan: plan },
  });
  await queueMail(tx, owner.email, composeDisputed({ ...who(tx, owner, payment), cents, plan }));
}

interface Ending {
  cents: number;
  outcome: DisputeEnding;
  /** An administrator ended its freeze before: it is not why orders are possible now. */
  wasLifted?: boolean;
}

export async function announceEnd(tx: Tx, payment: PaymentRow, { cents, outcome, wasLifted = false }: Ending): Promise<void> {
  const owner = (await users.find(tx, payment.owner_id))!;
  const taken = await takenFrom(tx, payment);
  const plan = planOf(payment, taken < payment.amount_cents && taken + cents >= payment.amount_cents);
  const stillFrozen = (await reversals.freezingOf(tx, owner.id)) !== undefined;
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "payment.dispute_ended",
    data: { paymentId: payment.id, amountCents: cents, outcome },
    notice: { amountCents: cents, ending: outcome, wasLifted, stillFrozen, disputedPlan: plan },
  });
  const about = { ...who(tx, owner, payment), cents, plan, disputeEnding: outcome, wasLifted, stillFrozen };
  await queueMail(tx, owner.email, composeDisputeEnded(about));
}

/** The cents of a payment that are reversed now. */
const takenFrom = async (tx: Tx, { id }: PaymentRow) => takenOf(await reversals.ofPayment(tx, id));

/** A dispute of a plan moves no credit, but the plan's hours, once its whole price is taken. */
const planOf = ({ purpose }: PaymentRow, hours: boolean) => (purpose === "subscription" ? { hours } : undefined);

const who = ({ config }: Context, { display_name: name }: users.UserRow, { id: paymentId }: PaymentRow) => ({
  ...{ config, name, paymentId },
});
