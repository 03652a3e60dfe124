import { define } from "../../cli/define.ts";
import { usd } from "../../io/text.ts";
import { earningView } from "./view.ts";

export const earnings = define({
  name: "earnings",
  summary: "Show what you earned and what was paid out",
  operation: "getEarnings",
  list: true,
  examples: ["playtest tester earnings", "playtest tester earnings --all --csv"],
  async run({ range }, ctx) {
    if (ctx.out.format.kind === "auto") {
      const { balanceCents, paidCents } = await ctx.api().getEarnings({ query: { limit: 1 } });
      ctx.out.note(`${usd(balanceCents)} to be paid out, ${usd(paidCents)} paid out so far.`);
    }
    return ctx.list("getEarnings", {}, range, earningView);
  },
});
