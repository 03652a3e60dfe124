import { arg, define, detail, type ItemOf, moneyCol, viewOf } from "../../cli/define.ts";
import { plural, usd } from "../../io/text.ts";

/** The refund in words. Empty if nothing was refunded. */
export const refundText = ({ refundedCents, refundedMinutes }: { refundedCents: number; refundedMinutes: number }) =>
  [refundedCents > 0 && usd(refundedCents), refundedMinutes > 0 && plural(refundedMinutes, "playtest minute")]
    .filter(Boolean)
    .join(" and ");

const view = viewOf<ItemOf<"cancelPlaytest">>([
  detail("playtest:playtest.id"),
  detail("status:playtest.status"),
  detail("credit refunded:refundedCents"),
  moneyCol(detail("minutes refunded:refundedMinutes")),
]);

export const cancel = define({
  name: "cancel",
  args: { playtest: arg.playtest() },
  operation: "cancelPlaytest",
  confirm: ({ args }) =>
    `Cancel playtest ${args.playtest}? Its open slots are cancelled, and what was paid for them is refunded. Claimed slots continue, unless their fixed time is still ahead: those are cancelled too, and in the last 12 hours before it their playtesters are paid.`,
  examples: ["playtest playtests cancel PLAYTEST", "playtest playtests cancel PLAYTEST --yes --json=refundedCents"],
  view,
});
