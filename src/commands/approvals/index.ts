import { arg, define, detail, flag, type Group, type ItemOf, moneyCol, optionalCol, viewOf } from "../../cli/define.ts";
import { targetingText } from "../../contract/accounts/audience-text.ts";
import { usd } from "../../io/text.ts";
import { utcText } from "../shared/fixed-time.ts";
import { checkoutOf, unpaidFailure } from "../shared/unpaid.ts";

type Approval = ItemOf<"listOrderApprovals">;

/** `checkout`: the page where an order that was just placed is paid. */
const viewWith = (checkout?: string) =>
  viewOf<Approval>(
    [
      "id",
      "status",
      "price:totalCents",
      "game:gameName",
      "slots:quantity",
      "per slot:durationMinutes",
      "key:keyName",
      "expires:expiresAt",
      moneyCol(detail("pay with:method")),
      detail("visibility"),
      detail("players:playerCount"),
      detail("offered to", targetingText),
      detail("selection:selectionMode"),
      detail("played at", ({ scheduledAt }) => utcText(scheduledAt)),
      optionalCol("ref"),
      detail("notes:notesForTesters"),
      detail("playtest:playtestId"),
      detail("reason"),
      detail("decide at:url"),
      detail("ordered:createdAt"),
      detail("decided:decidedAt"),
      ...(checkout === undefined ? [] : [detail("pay at", () => checkout)]),
    ],
    { empty: "No orders wait for approval. An API key with `--approve-over` asks for it." },
  );

const view = viewWith();

const approval = arg.id(
  "Approval id",
  "listOrderApprovals",
  ({ gameName, quantity, totalCents }) => `${quantity} × ${gameName}, ${usd(totalCents as number)}`,
  { status: "pending" },
);

const list = define({
  name: "list",
  operation: "listOrderApprovals",
  query: "listOrderApprovals",
  list: true,
  examples: ["playtest approvals list", "playtest approvals list --status pending"],
  view,
});

const show = define({
  name: "show",
  operation: "getOrderApproval",
  args: { approval },
  examples: ["playtest approvals show 4f6a1b2c"],
  view,
});

const approve = define({
  name: "approve",
  summary: "Approve an order of an API key: it is placed with the payment that was asked for",
  operation: ["approveOrder", "getOrderApproval"],
  args: { approval },
  flags: {
    maxCost: flag.money("Approve only if the cost does not exceed this"),
    allowPending: flag.toggle("Succeed even if the order is left unpaid"),
  },
  examples: ["playtest approvals approve 4f6a1b2c", "playtest approvals approve 4f6a1b2c --yes"],
  exits: [7],
  async run({ args, flags }, ctx) {
    const params = { id: args.approval };
    const { approval: asked } = await ctx.api().getOrderApproval({ params });
    const what = `Order ${asked.quantity} × ${asked.durationMinutes} min of ${asked.gameName} for the API key ${asked.keyName}`;
    await ctx.confirmSpend({ what, cents: asked.totalCents, maxCents: flags.maxCost });
    const data = await ctx.api().approveOrder({ params });
    const failure = await unpaidFailure(ctx, data.order, flags.allowPending);
    return { kind: "item", data, subject: data.approval, view: viewWith(checkoutOf(data.order)), failure };
  },
});

const decline = define({
  name: "decline",
  operation: "declineOrder",
  args: { approval },
  body: "declineOrder",
  confirm: ({ args }) => `Decline the order ${args.approval}? Whoever ordered has to order again.`,
  examples: ['playtest approvals decline 4f6a1b2c --reason "Wait for the next build" --yes'],
  view,
});

export const approvals: Group = { commands: [list, show, approve, decline], fallback: "list" };
