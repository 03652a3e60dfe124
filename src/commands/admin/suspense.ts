import { arg, define, flag } from "../../cli/define.ts";
import { userId } from "./users.ts";
import { suspenseView } from "./view.ts";

const deposit = () => arg.id("Deposit id", "listSuspense", "reason");
const note = { ...flag.text("Why; kept on record"), required: true } as const;

export const suspense = define({
  name: "suspense",
  summary: "List crypto deposits that are kept aside: late, too small or nobody's",
  operation: "listSuspense",
  query: "listSuspense",
  list: true,
  examples: ["playtest admin suspense", "playtest admin suspense --status refunded --json"],
  run: async ({ query, range }, ctx) => ctx.list("listSuspense", { query }, range, suspenseView),
});

export const suspenseResolve = define({
  name: "suspense resolve",
  summary: "Credit a deposit that was kept aside",
  description: "Its owner is credited at the rate it was kept at. --user names an owner where nobody is known, or another one.",
  operation: "resolveSuspense",
  risk: "write",
  args: { deposit: deposit() },
  flags: {
    user: flag.text("Owner to credit: id or e-mail address"),
    rate: flag.money("What a whole coin is worth; as it was kept unless given"),
    note,
  },
  examples: [
    "playtest admin suspense resolve 3aa0119c --note 'paid a minute late'",
    "playtest admin suspense resolve 3aa0119c --user ada@example.com --rate 2400.50 --note 'asked by mail'",
  ],
  async run({ args, flags }, ctx) {
    const { user, rate, note = "" } = flags;
    const whom = user === undefined ? {} : { userId: await userId(ctx, user) };
    const body = { ...whom, ...(rate !== undefined && { rateCents: rate }), note };
    const data = await ctx.api().resolveSuspense({ params: { id: args.deposit }, body });
    return { kind: "item", data, subject: data.suspense, view: suspenseView };
  },
});

export const suspenseRefund = define({
  name: "suspense refund",
  summary: "Record that a deposit kept aside was sent back",
  description: "Send it back from your wallet first: this program holds no keys and sends nothing.",
  operation: "refundSuspense",
  args: { deposit: deposit() },
  flags: { note },
  confirm: ({ args }) => `Record that deposit ${args.deposit} was sent back? It cannot be credited after that.`,
  examples: ["playtest admin suspense refund 3aa0119c --note 'sent back by 0x9f…' --yes"],
  run: async ({ args, flags }, ctx) =>
    ctx.item(await ctx.api().refundSuspense({ params: { id: args.deposit }, body: { note: flags.note ?? "" } }), suspenseView),
});
