import { arg, define, detail, flag, type ItemOf, prose, viewOf } from "../../cli/define.ts";
import { budgetText } from "../../contract/accounts/budget-text.ts";
import { usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { combineBudgets, parseBudget } from "../shared/budgets/limits.ts";

type Budget = ItemOf<"listBudgets">;

const view = viewOf<Budget>(
  [
    "id",
    prose("budget", (budget) => budgetText(budget, usd)),
    "key:keyId",
    "game:gameId",
    "resets:resetsAt",
    "yours:applies",
    detail("created:createdAt"),
  ],
  { empty: "No budgets: API keys can spend what the account has. Set one with `playtest billing budgets set`." },
);

const budgetsList = define({
  name: "budgets list",
  summary: "List budgets and what is left of them",
  operation: "listBudgets",
  examples: ["playtest billing budgets list", "playtest billing budgets list --json"],
  rows: "budgets",
  view,
});

const budgetsSet = define({
  name: "budgets set",
  summary: "Set what may be spent in an order, a day, a month or in all",
  description:
    "A limit is an amount and a period, such as 50/day. It counts what every key and browser of the account spends; with --key, only that " +
    "of an API key and of those made with it or in its place; with --game, only orders of that game. Setting it again changes the limit, and " +
    "what was spent stays spent. Days and months are those of UTC.",
  args: { limit: arg.optional("Limit and period: 50/day, 200/month, 20/order, 500/total, 120min/month, 5slots/day") },
  flags: {
    key: flag.text("API key whose spending it counts: id or name", { value: "KEY", field: "keyId" }),
    game: flag.text("Game whose orders it counts: id or name", { value: "GAME", field: "gameId" }),
    approveOver: flag.money("Orders above this amount wait for approval", { field: "approveOverCents" }),
  },
  operation: ["setBudget", "listApiKeys", "listGames"],
  examples: [
    "playtest billing budgets set 200/month",
    "playtest billing budgets set 50/day --key ci",
    "playtest billing budgets set 20/order --key ci --approve-over 10",
  ],
  async run({ args, flags }, ctx) {
    const given = args.limit === undefined ? [] : [parseBudget(args.limit, "LIMIT")];
    const period = given[0]?.period ?? "order";
    const [budget] = combineBudgets(given, undefined);
    if (!budget && flags.approveOver === undefined) throw usage("A limit such as 50/day, or --approve-over, is required.");
    const limits = { period, ...budget, ...(flags.approveOver !== undefined && { approveOverCents: flags.approveOver }) };
    const keyId = flags.key && (await find(flags.key, "API key", ctx.pages("listApiKeys", {}, { all: true }), ctx.resolveId));
    const gameId = flags.game && (await find(flags.game, "game", ctx.pages("listGames", {}, { all: true }), ctx.resolveId));
    const data = await ctx.api().setBudget({ body: { ...limits, ...(keyId && { keyId }), ...(gameId && { gameId }) } });
    return ctx.item(data, view);
  },
});

/** The id of the only item with this id or name. */
async function find(
  given: string,
  noun: string,
  pages: AsyncIterable<{ items: unknown[] }>,
  resolveId: (id: string) => string,
): Promise<string> {
  const id = resolveId(given);
  const found: string[] = [];
  for await (const { items } of pages)
    for (const item of items as { id: string; name: string }[]) if (item.id === id || item.name === given) found.push(item.id);
  if (found.length === 1) return found[0]!;
  throw usage(
    `${found.length === 0 ? "No" : "More than one"} ${noun} is called ${JSON.stringify(given)}. Nothing was changed. Pass its id.`,
  );
}

const budgetsRemove = define({
  name: "budgets remove",
  summary: "Remove a budget",
  operation: ["removeBudget", "listBudgets"],
  args: { budget: arg.id("Budget id", "listBudgets", (budget) => budgetText(budget as Budget, usd)) },
  confirm: ({ args }) => `Remove budget ${args.budget}? What it limited is limited no more.`,
  examples: ["playtest billing budgets remove 4f6a1b2c --yes"],
  async run({ args }, ctx) {
    const { budget } = await ctx.api().removeBudget({ params: { id: args.budget } });
    return ctx.text(`Removed the budget. It was: ${budgetText(budget, usd)}.`, { budget });
  },
});

export const budgetsCommands = [budgetsList, budgetsSet, budgetsRemove];
