import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { emit } from "../../events/emit.ts";
import { mailUserAbout } from "../../events/event-mails.ts";
import { failedWithdrawalTransfer, type Transfer, type Withdrawal, withdrawalTransfer } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import { usd } from "../../lib/money.ts";
import { conflict, notFound } from "../../lib/problem.ts";
import { iso } from "../../lib/time.ts";
import { portalLinks } from "../../mail/links.ts";
import type { Letter } from "../../mail/texts.ts";
import { type Unpaid, unpaidOf } from "../../playtests/slots/earnings.ts";
import * as payouts from "./store.ts";

/** Records that earnings were paid out. 409 when less than `cents` is available to the playtester. */
export async function recordPayout(deps: Deps, tx: Query, playtesterId: string, cents: number): Promise<payouts.PayoutRow> {
  const playtester = await users.find(tx, playtesterId);
  if (!playtester) throw notFound();
  if (playtester.role !== "playtester") throw conflict("Only playtesters can receive payouts. Nothing was recorded.");
  const { unpaid } = await unpaidOf(deps, tx, playtesterId);
  if (cents > unpaid.availableCents) throw conflict(tooMuch(unpaid, cents));
  const now = deps.clock.now();
  const payout: payouts.PayoutRow = {
    id: deps.newId(),
    user_id: playtesterId,
    amount_cents: cents,
    status: "completed",
    created_at: now,
    failed_at: null,
  };
  await payouts.insert(tx, payout);
  await postPayout(deps, tx, payout, withdrawalTransfer, "payout.completed");
  return payout;
}

function tooMuch({ availableCents, heldCents, heldUntil, disputedCents }: Unpaid, cents: number): string {
  if (heldUntil === null && disputedCents === 0)
    return `This playtester has ${usd(availableCents)} to pay out, less than ${usd(cents)}. Nothing was recorded.`;
  const available = [`This playtester has ${usd(availableCents)} to pay out now, less than ${usd(cents)}.`];
  if (heldUntil !== null)
    available.push(`Another ${usd(heldCents)} may come from card payments and is held until ${iso(heldUntil)}.`);
  if (disputedCents > 0)
    available.push(`Another ${usd(disputedCents)} is on hold because the payment is disputed: see \`playtest admin disputes\`.`);
  const wait = heldUntil === null ? "wait until the dispute has ended" : "wait";
  const later = heldUntil === null ? "Pay it when the dispute has ended." : "Pay it then.";
  const next = availableCents > 0 ? `Pay up to ${usd(availableCents)} now, or ${wait}.` : later;
  return `${available.join(" ")} Nothing was recorded. ${next}`;
}

/** Records that the bank returned a payout. The amount becomes unpaid earnings again. 409 when this was recorded before. */
export async function failPayout(deps: Deps, tx: Query, payoutId: string): Promise<payouts.PayoutRow> {
  const payout = await payouts.find(tx, payoutId);
  if (!payout) throw notFound();
  const completed = payouts.requireMove(payout, "fail");
  const failed = await payouts.transition(tx, completed, "fail", { failed_at: deps.clock.now() });
  await postPayout(deps, tx, payout, failedWithdrawalTransfer, "payout.failed");
  return failed;
}

async function postPayout(
  deps: Deps,
  tx: Query,
  payout: payouts.PayoutRow,
  transfer: (withdrawal: Withdrawal) => Transfer,
  kind: "payout.completed" | "payout.failed",
): Promise<void> {
  const { id: payoutId, user_id: playtesterId, amount_cents: cents } = payout;
  await ledger.post(tx, transfer({ payoutId, playtesterId, cents }), { now: deps.clock.now(), newId: deps.newId });
  await emit(deps, tx, [{ id: playtesterId, role: "playtester" }], {
    kind,
    data: { payoutId, amountCents: cents },
    notice: { amountCents: cents },
  });
  await mailUserAbout(deps, tx, playtesterId, kind, letterOf(deps, kind, payout));
}

function letterOf({ config }: Deps, kind: "payout.completed" | "payout.failed", payout: payouts.PayoutRow): Letter {
  const amount = usd(payout.amount_cents);
  const action = { label: "See your earnings", url: portalLinks(config).earnings };
  if (kind === "payout.completed")
    return {
      subject: `${amount} of your earnings were paid out`,
      paragraphs: [
        `A payout of ${amount} was sent on ${new Date(payout.created_at).toUTCString()}. It can take a few days until it arrives.`,
        `Payout: ${payout.id}`,
      ],
      action,
    };
  return {
    subject: `Your payout of ${amount} failed`,
    paragraphs: [
      `The payout of ${amount} of ${new Date(payout.created_at).toUTCString()} failed. The amount was returned to your earnings and can be paid out again.`,
      `Payout: ${payout.id}`,
    ],
    action,
  };
}
