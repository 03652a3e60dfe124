import { define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { owedView, payoutTotalView } from "./view.ts";

export const owed = define({
  name: "owed",
  description:
    "Available is what can be paid out now. What may come from a card payment is held for some days, and what comes from a disputed payment is on hold. The last row of the table has the totals of all playtesters; `--json` has them as `totals`. The last column says why `payouts create --all` would not pay somebody.",
  operation: "listOwed",
  list: true,
  examples: ["playtest admin owed", "playtest admin owed --all --csv", "playtest admin owed --jq .totals.availableCents"],
  view: owedView,
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
