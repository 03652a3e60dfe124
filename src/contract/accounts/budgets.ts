import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { cents, extension, id, timestamp } from "../fields.ts";
import { budgetPeriods } from "./budget-periods.ts";

const limit = (description: string) => z.int().min(0).max(1_000_000_000).optional().meta({ description });

const limits = {
  period: z.enum(budgetPeriods).meta({ description: "Counts each `order` by itself, a UTC `day` or `month`, or the `total`." }),
  limitCents: limit("The most to spend in the period, and to pay in."),
  limitMinutes: limit("Most playtest minutes to spend in the period."),
  limitSlots: limit("Most slots to order in the period; those of free playtests count too."),
  approveOverCents: limit("An order worth more than this waits for the approval of a person."),
};

const isLimiting = (given: { [Name in keyof typeof limits]?: unknown }) =>
  [given.limitCents, given.limitMinutes, given.limitSlots, given.approveOverCents].some((value) => value !== undefined);
const nothing = { path: ["limitCents"], message: "is required, or another limit" };

/** The budgets that a new key comes with, no two of one period. */
export const newBudgets = () =>
  z
    .array(z.strictObject(limits).refine(isLimiting, nothing))
    .max(budgetPeriods.length)
    .refine((all) => new Set(all.map(({ period }) => period)).size === all.length, "must not have two of the same period");

export type NewBudget = z.output<ReturnType<typeof newBudgets>>[number];

/** What is left of a budget. A limit that it does not have is null. */
const left = {
  id: id(),
  keyId: id()
    .nullable()
    .meta({ description: "API key whose spending it counts, with the keys made with it or in its place; null for all." }),
  gameId: id().nullable().meta({ description: "Game whose orders it counts; null for all." }),
  period: z.enum(budgetPeriods),
  limitCents: cents().nullable(),
  spentCents: cents().meta({ description: "In the present period; 0 for `order`." }),
  limitMinutes: z.int().nullable(),
  spentMinutes: z.int(),
  limitSlots: z.int().nullable(),
  spentSlots: z.int(),
  approveOverCents: cents().nullable(),
  resetsAt: timestamp().nullable().meta({ description: "When the next day or month begins." }),
};

export const budgetLeft = z.strictObject(left).meta({ id: "BudgetLeft" });
export type BudgetLeft = z.output<typeof budgetLeft>;

export const budget = z
  .strictObject({
    ...left,
    applies: z.boolean().meta({ description: "Whether it counts what the API key in use spends." }),
    createdAt: timestamp(),
  })
  .meta({ id: "Budget" });

/** The budgets that a reply of something that spends tells about: those that counted it. Absent without any. */
export const spentFrom = {
  budgets: extension(z.array(budgetLeft).optional().meta({ description: "What is left of the budgets that it counts against." })),
};

const owner = { access: ["game_owner"], extension: true, refusesBudgeted: true } as const;

export const budgets = {
  listBudgets: endpoint("GET /billing/budgets", {
    access: { anyOf: ["billing", "game_owner"] },
    extension: true,
    summary: "List the budgets of your account and what is left of them",
    reply: z.strictObject({ budgets: z.array(budget) }),
  }),
  setBudget: endpoint("POST /billing/budgets", {
    ...owner,
    ...audited("budget.set"),
    summary: "Set a budget: replaces the one of the same API key, game and period",
    body: z
      .strictObject({
        keyId: id().optional().meta({ description: "API key whose spending it counts; default all of the account." }),
        gameId: id().optional().meta({ description: "Game whose orders it counts; default all." }),
        ...limits,
      })
      .refine(isLimiting, nothing),
    status: 201,
    existing: 200,
    reply: z.strictObject({ budget }),
    errors: ["NOT_FOUND"],
  }),
  removeBudget: endpoint("DELETE /billing/budgets/:id", {
    ...owner,
    ...audited("budget.remove"),
    summary: "Remove a budget: what it limited is limited no more",
    risk: "destroy",
    reply: z.strictObject({ budget }),
  }),
};
