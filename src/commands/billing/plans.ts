import { define } from "../../cli/define.ts";
import { planView } from "./view.ts";

export const plans = define({
  name: "plans",
  summary: "List subscription plans",
  operation: "listPlans",
  examples: ["playtest billing plans", "playtest billing plans --csv"],
  async run(_, ctx) {
    const data = await ctx.api().listPlans({});
    if (!data.configured) ctx.out.note("This server does not sell subscriptions: no card processor is configured.");
    const outcome = ctx.rows("plans", data.plans, planView);
    return ctx.out.format.kind === "json" || ctx.out.format.kind === "jq" ? ctx.item(data) : outcome;
  },
});
