import { type Context, define } from "../../../cli/define.ts";
import { usd } from "../../../io/text.ts";
import { noteWithoutPayments } from "../../shared/without-payments.ts";
import { earningView } from "../view.ts";

/** Says what the playtester has to do to be paid. */
async function noteMissingDetails(ctx: Context): Promise<void> {
  const found = await ctx.api().offered("getPayoutDetails", {});
  if (!found) return;
  const { details } = found.data;
  if (details === null)
    return ctx.out.note(
      "The operator's payout batches skip you: enter payout details with `playtest tester payout-details set`.",
    );
  if (details.usableFrom !== null) ctx.out.note(`Your new payout details can be used from ${details.usableFrom}.`);
}

export const earnings = define({
  name: "earnings",
  summary: "Show your earnings and payouts",
  operation: ["getEarnings", "getPayoutDetails"],
  list: true,
  examples: ["playtest tester earnings", "playtest tester earnings --all --csv"],
  async run({ range }, ctx) {
    if (ctx.out.format.kind === "auto") {
      const { balanceCents, heldCents, heldUntil, disputedCents, paidCents, pendingCents } = await ctx
        .api()
        .getEarnings({ query: { limit: 1 } });
      noteWithoutPayments(ctx);
      if (!ctx.withoutPayments() || balanceCents > 0 || paidCents > 0)
        ctx.out.note(`Balance: ${usd(balanceCents)}. Paid out so far: ${usd(paidCents)}.`);
      if (pendingCents > 0) ctx.out.note(`On the way to you: ${usd(pendingCents)}.`);
      if (heldUntil !== null)
        ctx.out.note(
          `Of the balance, ${usd(heldCents)} may come from card payments and is held. All of it is available from ${heldUntil}.`,
        );
      if (disputedCents > 0)
        ctx.out.note(
          `Of the balance, ${usd(disputedCents)} is on hold because the payment is disputed. It is available when the dispute has ended.`,
        );
      if (balanceCents > 0) await noteMissingDetails(ctx);
    }
    return ctx.list("getEarnings", {}, range, earningView);
  },
});
