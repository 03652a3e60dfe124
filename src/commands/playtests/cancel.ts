import { arg, define, detail } from "../../cli/define.ts";
import { plural, usd } from "../../io/text.ts";

/** What came back, in words; empty when nothing did. */
export const refundText = ({ refundedCents, refundedMinutes }: { refundedCents: number; refundedMinutes: number }) =>
  [refundedCents > 0 && usd(refundedCents), refundedMinutes > 0 && plural(refundedMinutes, "playtest minute")]
    .filter(Boolean)
    .join(" and ");

const view = {
  columns: [
    detail("playtest", "playtest.id", "id"),
    detail("status", "playtest.status", "status"),
    detail("credit back", "refundedCents", "usd"),
    detail("minutes back", "refundedMinutes"),
  ],
};

export const cancel = define({
  name: "cancel",
  summary: "Cancel what is unpaid or unclaimed and get it back",
  args: { playtest: arg.playtest() },
  operation: "cancelPlaytest",
  confirm: ({ args }) =>
    `Cancel playtest ${args.playtest}? Its open slots close and their price comes back; claimed slots go on.`,
  examples: ["playtest playtests cancel PLAYTEST", "playtest playtests cancel PLAYTEST --yes --json=refundedCents"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().cancelPlaytest({ params: { id: args.playtest } }), view),
});
