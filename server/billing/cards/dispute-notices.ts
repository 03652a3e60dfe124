import type { DisputeEnding } from "../../../src/contract/billing.ts";
import * as users from "../../accounts/users-store.ts";
import type { Context, Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { usd } from "../../lib/money.ts";
import { taskLink } from "../../mail/links.ts";
import { queueMail } from "../../mail/queue.ts";
import { type Action, compose } from "../../mail/texts.ts";
import * as reversals from "../reversals-store.ts";
import type { PaymentRow } from "../store.ts";

/** What an owner is told when a dispute of one of their payments begins and ends, inside the caller's transaction. */
export async function announceDispute(tx: Tx, payment: PaymentRow, cents: number): Promise<void> {
  const owner = (await users.find(tx, payment.owner_id))!;
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "payment.disputed",
    data: { paymentId: payment.id, amountCents: cents },
    notice: { amountCents: cents },
  });
  await queueMail(tx, owner.email, composeDisputed({ ...who(tx, owner, payment), cents }));
}

interface Ending {
  cents: number;
  outcome: DisputeEnding;
}

export async function announceEnd(tx: Tx, payment: PaymentRow, { cents, outcome }: Ending): Promise<void> {
  const owner = (await users.find(tx, payment.owner_id))!;
  const stillFrozen = (await reversals.freezingOf(tx, owner.id)) !== undefined;
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "payment.dispute_ended",
    data: { paymentId: payment.id, amountCents: cents, outcome },
    notice: { amountCents: cents, ending: outcome, stillFrozen },
  });
  const about = { ...who(tx, owner, payment), cents, outcome, stillFrozen };
  await queueMail(tx, owner.email, composeEnded(about));
}

const who = ({ config }: Context, { display_name: name }: users.UserRow, { id: paymentId }: PaymentRow) => ({
  name,
  paymentId,
  action: { label: "See the payment", url: taskLink(config, "payment", paymentId) },
});

interface About {
  name: string;
  action: Action;
  cents: number;
  paymentId: string;
}

const composeDisputed = ({ name, cents, paymentId, action }: About) =>
  compose({
    subject: "A payment of yours was disputed",
    to: name,
    paragraphs: [
      `${usd(cents)} of your payment ${paymentId} was disputed at the bank, so the amount was taken back from this marketplace and from your account.`,
      "Until the dispute has ended you cannot order playtests, and playtesters are not paid what this payment paid for. Running playtests continue.",
      "If you did not dispute it, or want to withdraw the dispute, ask your bank, then tell the operator of the server.",
    ],
    action,
  });

const endings: Record<DisputeEnding, (about: About) => string> = {
  won: ({ cents, paymentId }) =>
    `The dispute of your payment ${paymentId} was decided, and ${usd(cents)} was returned to your account.`,
  lifted: ({ cents, paymentId }) =>
    `The operator ended the freeze that came with the dispute of ${usd(cents)} of your payment ${paymentId}. The amount is not returned.`,
};

const composeEnded = (about: Ending & About & { stillFrozen: boolean }) =>
  compose({
    subject: "A dispute of your payment has ended",
    to: about.name,
    paragraphs: [
      endings[about.outcome](about),
      about.stillFrozen
        ? "Another payment of yours is still disputed, so you cannot order yet."
        : "You can order playtests again.",
    ],
    action: about.action,
  });
