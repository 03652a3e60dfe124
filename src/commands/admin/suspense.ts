import { arg, define, flag } from "../../cli/define.ts";
import { userId } from "./users.ts";
import { suspenseView } from "./view.ts";

const deposit = () => arg.id("Deposit id", "listSuspense", "reason");
const note = { ...flag.text("Reason, kept with the deposit"), required: true } as const;

const suspense = define({
  name: "suspense",
  summary: "List unmatched crypto deposits: late, wrong amount or unclaimed",
  operation: "listSuspense",
  query: "listSuspense",
  list: true,
  examples: ["playtest admin suspense", "playtest admin suspense --status refunded --json"],
  view: suspenseView,
});

const suspenseResolve = define({
  name: "suspense resolve",
  summary: "Credit an unmatched deposit to an account",
  description:
    "Credits the account that the deposit belongs to, at the rate recorded when it arrived. Pass --user if no account is known, or to credit another one.",
  operation: "resolveSuspense",
  risk: "write",
  args: { deposit: deposit() },
  flags: {
    user: flag.text("Account to credit: id, email address or name"),
    rate: flag.field("resolveSuspense", "rateCents", "Price of one whole coin (default: the recorded rate)"),
    note,
  },
  examples: [
    "playtest admin suspense resolve 3aa0119c --note 'paid a minute late'",
    "playtest admin suspense resolve 3aa0119c --user ada@example.com --rate 2400.50 --note 'agreed by email'",
  ],
  async run({ args, flags }, ctx) {
    const { user, rate, note = "" } = flags;
    const account = user === undefined ? {} : { userId: await userId(ctx, user) };
    const body = { ...account, ...(rate !== undefined && { rateCents: rate }), note };
    const data = await ctx.api().resolveSuspense({ params: { id: args.deposit }, body });
    return { kind: "item", data, subject: data.suspense, view: suspenseView };
  },
});

const suspenseRefund = define({
  name: "suspense refund",
  summary: "Record that an unmatched deposit was sent back",
  description: "Send the deposit back from your wallet first: this command only records it and sends nothing.",
  operation: "refundSuspense",
  args: { deposit: deposit() },
  flags: { note },
  confirm: ({ args }) => `Record that deposit ${args.deposit} was sent back? It cannot be credited afterwards.`,
  examples: ["playtest admin suspense refund 3aa0119c --note 'sent back by 0x9f…' --yes"],
  run: async ({ args, flags }, ctx) =>
    ctx.item(await ctx.api().refundSuspense({ params: { id: args.deposit }, body: { note: flags.note ?? "" } }), suspenseView),
});

export const suspenseCommands = [suspense, suspenseResolve, suspenseRefund];
