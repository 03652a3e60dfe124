import { define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { statementView } from "./view.ts";

export const statement = define({
  name: "statement",
  summary: "Show your earnings and payouts of a month or year",
  description: "All figures are from the ledger, in UTC. The portal shows the same as a page and as CSV.",
  operation: "getStatement",
  query: "getStatement",
  examples: ["playtest tester statement --month 2026-10", "playtest tester statement --year 2026 --json"],
  async run({ query }, ctx) {
    const { month, year } = query;
    if ((month === undefined) === (year === undefined)) throw usage("Pass either --month or --year.");
    return ctx.item(await ctx.api().getStatement({ query }), statementView);
  },
});
