import { define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import { owedView, payoutTotalView } from "./view.ts";

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

export const payoutTotals = define({
  name: "payouts totals",
  summary: "List what each playtester earned and was paid in a year",
  operation: "listPayoutTotals",
  query: "listPayoutTotals",
  list: true,
  examples: ["playtest admin payouts totals --year 2026 --all --csv"],
  async run({ query, range }, ctx) {
    if (query.year === undefined) throw usage("--year is required.");
    return ctx.list("listPayoutTotals", { query }, range, payoutTotalView);
  },
});
