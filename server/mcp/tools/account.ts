import * as z from "zod";
import { budgetText } from "../../../src/contract/accounts/budget-text.ts";
import type { BudgetLeft } from "../../../src/contract/accounts/budgets.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { usd } from "../../lib/money.ts";
import { budgetsOf } from "../budgets.ts";
import { ifPermitted } from "../host.ts";
import { tool } from "../tool.ts";
import { count, list } from "./fields.ts";

/** What is left of each budget, as a sentence. */
export const budgetLines = (budgets: readonly BudgetLeft[]) => budgets.map((budget) => `${budgetText(budget, usd)}.`);

export const status = tool({
  name: "status",
  toolset: "read",
  description: "Account, server, balance, what is left of budgets, and what waits for the owner.",
  input: {},
  output: {
    server: z.string(),
    sandbox: z.boolean(),
    balanceCents: count(),
    playtestMinutes: count(),
    budgets: z.array(z.string()),
    waiting: list({ kind: z.string(), count: z.int(), dueAt: z.string().nullable() }),
  },
  async run(_input, { host }) {
    const { call } = host;
    const [info, balance, budgets, inbox] = await Promise.all([
      ifPermitted(host, call("getServerInfo")),
      ifPermitted(host, call("getBalance")),
      budgetsOf(host),
      ifPermitted(host, call("getInbox")),
    ]);
    const waiting = (inbox?.data.items ?? []).filter((item) => item.count > 0);
    const { balanceCents, playtestMinutes } = balance?.data ?? {};
    const sandbox = info?.data.sandbox ?? false;
    return {
      lines: [
        `${host.baseUrl}${sandbox ? " (a sandbox: no real money)" : ""}; allowed: ${[...host.allowed].join(", ")}.`,
        ...(balanceCents === undefined
          ? []
          : [`Balance ${usd(balanceCents)}, ${plural(playtestMinutes ?? 0, "playtest minute")}.`]),
        ...budgetLines(budgets),
        ...waiting.map(({ kind, count, dueAt }) => `${kind}: ${count}${dueAt === null ? "" : `, first deadline ${dueAt}`}`),
      ],
      data: {
        server: host.baseUrl,
        sandbox,
        ...(balanceCents !== undefined && { balanceCents, playtestMinutes }),
        budgets: budgetLines(budgets),
        waiting: waiting.map(({ kind, count, dueAt }) => ({ kind, count, dueAt })),
      },
    };
  },
});
