import { arg, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import { userArg, userId } from "./users.ts";
import { disputeView, flaggedView, paymentView } from "./view.ts";

export const grant = define({
  name: "grant",
  summary: "Grant credit or playtest minutes to an account",
  operation: ["grantCredit", "grantHours"],
  args: { user: userArg() },
  flags: {
    credit: flag.field("grantCredit", "amountCents", "Credit to grant"),
    minutes: flag.field("grantHours", "minutes", "Playtest minutes to grant"),
    note: { ...flag.text("Reason, shown in the ledger"), required: true },
  },
  examples: [
    "playtest admin grant ada@example.com --credit 20 --note goodwill",
    "playtest admin grant ada@example.com --minutes 300 --note 'lost build'",
  ],
  async run({ args, flags }, ctx) {
    const { credit, minutes, note = "" } = flags;
    if ((credit === undefined) === (minutes === undefined)) throw usage("Pass either --credit or --minutes.");
    const params = { id: await userId(ctx, args.user) };
    const data =
      credit === undefined
        ? await ctx.api().grantHours({ params, body: { minutes: minutes!, note } })
        : await ctx.api().grantCredit({ params, body: { amountCents: credit, note } });
    return ctx.text(
      `${data.user.email} now has ${usd(data.balanceCents)} credit and ${plural(data.playtestMinutes, "playtest minute")}.`,
      data,
    );
  },
});

export const chargeback = define({
  name: "chargeback",
  operation: "chargebackPayment",
  args: { payment: arg.id("Payment id") },
  confirm: ({ args }) =>
    `Record a chargeback of payment ${args.payment}? The credit or hours it paid for are removed from the account.`,
  examples: ["playtest admin chargeback 7be02c11-… --yes"],
  view: paymentView,
});

export const disputes = define({
  name: "disputes",
  description:
    "While a dispute is open, its owner cannot order, and playtesters are not paid what the payment paid for. It ends when the dispute is won, or with `disputes lift`.",
  operation: "listDisputes",
  query: "listDisputes",
  list: true,
  examples: ["playtest admin disputes", "playtest admin disputes --status won --json"],
  view: disputeView,
});

export const flagged = define({
  name: "flagged",
  summary: "List payments that an operator should look at",
  description:
    "A payment is flagged when something unusual happened to it, such as that it was paid after its order had ended or with another amount than was due, was disputed twice, or that its refund failed.",
  operation: "listFlaggedPayments",
  query: "listFlaggedPayments",
  list: true,
  examples: ["playtest admin flagged", "playtest admin flagged --json"],
  view: flaggedView,
});

export const flaggedClear = define({
  name: "flagged clear",
  summary: "Record that you looked at a flagged payment",
  description: "Takes the payment off the list of `admin flagged`. It moves no money.",
  operation: "clearPaymentFlag",
  args: { payment: arg.id("Payment id", "listFlaggedPayments", "reason") },
  flags: { note: { ...flag.text("What you found or did, kept in the audit log"), required: true } },
  examples: ["playtest admin flagged clear 7be02c11 --note 'refunded at the processor'"],
  run: async ({ args, flags }, ctx) =>
    ctx.item(await ctx.api().clearPaymentFlag({ params: { id: args.payment }, body: { note: flags.note ?? "" } }), paymentView),
});

export const disputesLift = define({
  name: "disputes lift",
  summary: "End the freeze that came with a dispute",
  description:
    "The owner can order again, and what the payment paid for can be paid out. What the dispute took stays taken. The owner gets an email.",
  operation: "liftDispute",
  risk: "write",
  args: { payment: arg.id("Id of the disputed payment") },
  flags: { note: { ...flag.text("Reason, kept in the audit log"), required: true } },
  confirm: ({ args }) =>
    `End the freeze that came with the dispute of payment ${args.payment}? Its earnings can then be paid out.`,
  examples: ["playtest admin disputes lift 7be02c11-… --note 'paid by bank transfer' --yes"],
  run: async ({ args, flags }, ctx) =>
    ctx.item(await ctx.api().liftDispute({ params: { id: args.payment }, body: { note: flags.note ?? "" } }), paymentView),
});
