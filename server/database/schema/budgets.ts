import { budgetPeriods } from "../../../src/contract/accounts/budget-periods.ts";
import { approvalStatuses } from "../../../src/contract/states/index.ts";
import { int, oneOf, orNull, text } from "./columns.ts";

/** `spend` takes from the budget, `release` returns what was not spent after all, `refund` what was paid back. */
export const entryKinds = ["spend", "release", "refund"] as const;

// biome-ignore format: several columns in a line, as in the migrations
export const budgets = {
  budgets: {
    id: text, owner_id: text,
    /** The key whose spending it counts, with that of the keys below it. Null: of every key and browser of the account. */
    key_id: orNull(text),
    /** The game whose orders it counts; null: of every game, and everything that is paid in. */
    game_id: orNull(text),
    period: oneOf(budgetPeriods), limit_cents: orNull(int), limit_minutes: orNull(int), limit_slots: orNull(int),
    approve_over_cents: orNull(int), created_at: int, updated_at: int, removed_at: orNull(int),
  },
  /** What was spent of a budget in one of its windows. */
  budget_uses: {
    budget_id: text,
    /** When the window began (ms); 0 for a total. */
    starts_at: int,
    cents: int, minutes: int, slots: int,
    /** Of what its owner was told: bits of `billing/budgets/rules.ts`. */
    alerted: int,
  },
  /** An order, or a payment that is for none, and what it took from a budget. */
  budget_entries: {
    id: text, budget_id: text, starts_at: int, playtest_id: orNull(text), payment_id: orNull(text), kind: oneOf(entryKinds),
    cents: int, minutes: int, slots: int, created_at: int,
  },
  /** An order that waits for the approval of a person. */
  order_approvals: {
    id: text, owner_id: text, key_id: text, game_id: text, method: oneOf(["any", "hours", "credit", "card", "x402"]),
    /** The order with its game keys, sealed. */
    sealed: text,
    /** Finds the same order of the same key again. */
    body_hash: text,
    request_key: orNull(text), total_cents: int, status: oneOf(approvalStatuses), reason: orNull(text), playtest_id: orNull(text),
    created_at: int, expires_at: int, decided_at: orNull(int), decided_by: orNull(text),
  },
};
