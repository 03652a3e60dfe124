import { arg, define, flag } from "../../cli/define.ts";
import { plural, usd } from "../../io/text.ts";
import { userArg, userId } from "./users.ts";
import { owedView, payoutView } from "./view.ts";

export const owed = define({
  name: "owed",
  summary: "List what each playtester is owed",
  description:
    "Available is what can be paid out now. What may come from a card payment is held for some days, and what comes from a disputed payment is on hold. The last column says why `payouts create --all` would not pay somebody.",
  operation: "listOwed",
  list: true,
  examples: ["playtest admin owed", "playtest admin owed --all --csv", "playtest admin owed --jq .totals.availableCents"],
  async run({ range }, ctx) {
    if (ctx.out.format.kind === "auto" && range.cursor === undefined) {
      const { totals } = await ctx.api().listOwed({ query: { limit: 1 } });
      if (totals && totals.playtesters > 0) {
        const { playtesters, balanceCents, availableCents, heldCents, disputedCents } = totals;
        ctx.out.note(
          `Total: ${usd(balanceCents)} is owed to ${plural(playtesters, "playtester")}: ${usd(availableCents)} is available, ${usd(heldCents)} is held, ${usd(disputedCents)} is disputed.`,
        );
      }
    }
    return ctx.list("listOwed", {}, range, owedView);
  },
});

export const payouts = define({
  name: "payouts",
  summary: "List payouts to playtesters",
  operation: "listPayouts",
  list: true,
  examples: ["playtest admin payouts --all --csv"],
  run: async ({ range }, ctx) => ctx.list("listPayouts", {}, range, payoutView),
});

export const payoutsCreate = define({
  name: "payouts create",
  summary: "Record that a playtester was paid",
  operation: "createPayout",
  args: { user: userArg("playtester") },
  flags: { amount: { ...flag.field("createPayout", "amountCents", "Amount paid"), required: true } },
  examples: ["playtest admin payouts create pim@example.com --amount 40 --yes"],
  async run({ args, flags }, ctx) {
    const amountCents = flags.amount ?? 0;
    await ctx.confirmSpend({ what: `Record a payout to ${args.user}`, cents: amountCents });
    return ctx.item(await ctx.api().createPayout({ body: { userId: await userId(ctx, args.user), amountCents } }), payoutView);
  },
});

export const payoutsFail = define({
  name: "payouts fail",
  summary: "Record that a payout failed; the amount is owed again",
  operation: "failPayout",
  risk: "write",
  args: { payout: arg.id("Payout id", "listPayouts", "status") },
  examples: ["playtest admin payouts fail 3aa0119c"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().failPayout({ params: { id: args.payout } }), payoutView),
});
