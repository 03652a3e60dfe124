import { budgetText } from "../../../src/contract/accounts/budget-text.ts";
import type { BudgetLeft } from "../../../src/contract/accounts/budgets.ts";
import * as budgets from "../../accounts/budgets/store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { LostRace } from "../../database/port.ts";
import type { Caller } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { tellThreshold } from "./alerts.ts";
import {
  type Amounts,
  combined,
  isNothing,
  leftOf,
  type Measure,
  nothing,
  type Purchase,
  takenFrom,
  uncovered,
  windowStart,
} from "./rules.ts";
import * as store from "./store.ts";

type Budget = budgets.BudgetRow;

/**
 * Budgets are checked where a price becomes fixed, in the transaction that spends: the condition of an UPDATE adds to what was spent, or
 * refuses. So no order of requests, keys or processes spends more than a limit.
 */

/** 402: a budget does not cover a purchase. Nothing was written. */
export class BudgetExceeded extends ApiError {
  readonly exceeded: Budget;
  readonly spent: Amounts;
  constructor(budget: Budget, spent: Amounts, asked: string, now: number) {
    const left = leftOf(budget, spent, now);
    const resets = left.resetsAt === null ? "" : ` It is reset at ${left.resetsAt}.`;
    const whose = budget.key_id === null ? "of this account" : "of this API key";
    super(
      "BUDGET_EXCEEDED",
      `A budget ${whose} does not cover ${asked}. ${budgetText(left, usd)}.${resets} Nothing was ordered or charged. To set another budget takes a key without one: playtest billing budgets set.`,
      { budget: left },
    );
    this.exceeded = budget;
    this.spent = spent;
  }
}

const askedText: Record<Measure, (amounts: Amounts) => string> = {
  cents: ({ cents }) => usd(cents),
  minutes: ({ minutes }) => `${minutes} playtest minutes`,
  slots: ({ slots }) => `${slots} more slots`,
};

/** The budgets that count what a caller spends on a game, or pays in if that is null. */
export const bindingOn = async (q: ReadTx, caller: Caller, gameId: string | null): Promise<Budget[]> =>
  (await budgets.ofCaller(q, caller)).filter(({ game_id }) => game_id === null || game_id === gameId);

const windowOf = (budget: Budget, now: number) => ({ budget_id: budget.id, starts_at: windowStart(budget.period, now) });

const keyOf = ({ budget_id, starts_at }: { budget_id: string; starts_at: number }) => `${budget_id} ${starts_at}`;

/** What was spent of each of these windows, by `keyOf`. */
async function spentIn(q: ReadTx, windows: readonly ReturnType<typeof windowOf>[]): Promise<Map<string, store.UseRow>> {
  const rows = windows.length === 0 ? [] : await store.usesOf(q, windows);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** What is left of budgets now. */
export async function leftOfAll(q: ReadTx, list: readonly Budget[]): Promise<BudgetLeft[]> {
  const uses = await spentIn(
    q,
    list.map((budget) => windowOf(budget, q.now)),
  );
  return list.map((budget) => leftOf(budget, uses.get(keyOf(windowOf(budget, q.now))) ?? nothing, q.now));
}

/** What is to be added to one budget. */
interface Addition {
  budget: Budget;
  window: ReturnType<typeof windowOf>;
  added: Amounts;
  /** What was spent of the window before. */
  before: Amounts;
}

/** What a purchase takes from each budget that counts it. */
export type Plan = readonly Addition[];

/**
 * Plans to take a purchase from budgets, for `subject` beyond what was entered for it already. Writes nothing. Throws BudgetExceeded when
 * one of them does not cover it.
 */
export async function plan(q: ReadTx, binding: readonly Budget[], purchase: Purchase, subject?: store.Subject): Promise<Plan> {
  if (binding.length === 0) return [];
  const entered = netOf(subject ? await store.enteredFor(q, subject) : []);
  const windows = binding.map((budget) => {
    const { budget_id, starts_at } = entered.get(budget.id) ?? windowOf(budget, q.now);
    return { budget_id, starts_at };
  });
  const uses = await spentIn(q, windows);
  return binding.map((budget, at) => {
    const window = windows[at]!;
    const added = combined(takenFrom(budget, purchase), entered.get(budget.id) ?? nothing, -1);
    const before = uses.get(keyOf(window)) ?? nothing;
    const measure = uncovered(budget, before, added);
    if (measure) throw new BudgetExceeded(budget, before, askedText[measure](added), q.now);
    return { budget, window, added, before };
  });
}

/** What was entered for a subject and not released, by budget. */
function netOf(entered: readonly store.Entered[]): Map<string, store.Entered> {
  const net = new Map<string, store.Entered>();
  for (const one of entered) {
    if (one.kind === "refund") continue;
    const before = net.get(one.budget_id);
    net.set(one.budget_id, before ? { ...before, ...combined(before, one) } : one);
  }
  return net;
}

/** Whether what is worth so much has to be approved first. A person in a browser approves by ordering. */
export const needsApproval = ({ sessionId }: Caller, binding: readonly Budget[], worthCents: number): boolean =>
  sessionId === null && binding.some(({ approve_over_cents: over }) => over !== null && worthCents > over);

/** Takes what was planned in this transaction. Returns what is left of the budgets. */
export async function take(tx: Tx, planned: Plan, subject: store.Subject): Promise<BudgetLeft[]> {
  for (const { budget, window, added, before } of planned) {
    if (budget.period === "order" || isNothing(added)) continue;
    if (!(await store.add(tx, window, added))) throw new LostRace("the budget was spent at the same time");
    await enter(tx, window, subject, "spend", added);
    await tellThreshold(tx, budget, window, combined(before, added));
  }
  return planned.map(({ budget, added, before }) =>
    leftOf(budget, budget.period === "order" ? nothing : combined(before, added), tx.now),
  );
}

async function enter(
  tx: Tx,
  window: ReturnType<typeof windowOf>,
  subject: store.Subject,
  kind: store.EntryKind,
  { cents, minutes, slots }: Amounts,
): Promise<void> {
  const about =
    "playtestId" in subject
      ? { playtest_id: subject.playtestId, payment_id: null }
      : { playtest_id: null, payment_id: subject.paymentId };
  await store.insertEntry(tx, { id: tx.newId(), ...window, ...about, kind, cents, minutes, slots, created_at: tx.now });
}

/** Changes what is entered for a subject by `change`, whatever the limits say: it happened. */
async function correct(
  tx: Tx,
  subject: store.Subject,
  kind: store.EntryKind,
  change: (net: store.Entered, entered: readonly store.Entered[]) => Amounts,
): Promise<void> {
  const entered = await store.enteredFor(tx, subject);
  for (const net of netOf(entered).values()) {
    const { budget_id, starts_at } = net;
    const of = entered.filter((one) => one.budget_id === budget_id);
    const amounts = change(net, of);
    if (isNothing(amounts)) continue;
    await store.add(tx, { budget_id, starts_at }, amounts, true);
    await enter(tx, { budget_id, starts_at }, subject, kind, amounts);
  }
}

/** Returns to every budget what an order or payment took that ends unpaid. */
export const release = (tx: Tx, subject: store.Subject): Promise<void> =>
  correct(tx, subject, "release", (net) => combined(nothing, net, -1));

/** Takes again what was released, when the money arrives after all: it was spent, even if that is more than the limit. */
export const reclaim = (tx: Tx, paymentId: string): Promise<void> =>
  correct(tx, { paymentId }, "spend", (net, entered) => {
    const released = entered.find(({ kind }) => kind === "release");
    return isNothing(net) && released ? combined(nothing, released, -1) : nothing;
  });

/**
 * Enters money that arrived for an order that cannot begin, as credit that was bought: what the order took was released, or will be. The
 * budgets that counted the order count it, in the same window, except those of a game, which count no credit.
 */
export async function enterAsCredit(tx: Tx, playtestId: string, { paymentId, cents }: { paymentId: string; cents: number }) {
  const entered = netOf(await store.enteredFor(tx, { playtestId }));
  const counting = entered.size === 0 ? [] : await budgets.withIds(tx, [...entered.keys()]);
  for (const { id, game_id } of counting) {
    if (game_id !== null) continue;
    const { starts_at } = entered.get(id)!;
    const amounts = { cents, minutes: 0, slots: 0 };
    await store.add(tx, { budget_id: id, starts_at }, amounts, true);
    await enter(tx, { budget_id: id, starts_at }, { paymentId }, "spend", amounts);
  }
}

/** Enters what an order came to that is paid now, where it was placed with another method. */
export async function settle(tx: Tx, playtestId: string, purchase: Purchase): Promise<void> {
  const ids = [...new Set((await store.enteredFor(tx, { playtestId })).map(({ budget_id }) => budget_id))];
  const found = new Map((ids.length === 0 ? [] : await budgets.withIds(tx, ids)).map((budget) => [budget.id, budget]));
  await correct(tx, { playtestId }, "spend", (net) => combined(takenFrom(found.get(net.budget_id)!, purchase), net, -1));
}

/**
 * Returns to totals what an order paid back. A day or a month gets nothing back: ordering and cancelling by turns would spend without an
 * end.
 */
export async function refund(tx: Tx, playtestId: string, { worthCents, ...amounts }: Purchase): Promise<void> {
  const totals = await store.totalsOf(tx, playtestId);
  if (totals.length === 0) return;
  const net = netOf(await store.enteredFor(tx, { playtestId }));
  for (const id of totals) {
    const window = { budget_id: id, starts_at: 0 };
    const isCountedByPrice = amounts.minutes > 0 && (net.get(id)?.cents ?? 0) > 0;
    const back = combined(nothing, isCountedByPrice ? { ...amounts, cents: worthCents } : amounts, -1);
    await store.add(tx, window, back, true);
    await enter(tx, window, { playtestId }, "refund", back);
  }
}
