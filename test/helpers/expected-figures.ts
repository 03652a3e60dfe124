/**
 * What an owner's figures must be, worked out apart from the server: prices are written down again here, and nothing is
 * looked up. Money in cents, hours in minutes.
 */
export const prices: Record<number, { cost: number; payout: number }> = {
  30: { cost: 1500, payout: 500 },
  60: { cost: 2000, payout: 1000 },
  120: { cost: 3500, payout: 2000 },
};
export const planFigures = {
  indie_monthly: { price: 7900, minutes: 300 },
  studio_monthly: { price: 37_900, minutes: 1500 },
} as const;
export type PlanName = keyof typeof planFigures;

export interface Terms {
  by: "credit" | "hours";
  cost: number;
  payout: number;
  minutes: number;
}

export function expectedFigures() {
  const payments: string[] = [];
  const hours: string[] = [];
  const earned = new Map<string, number>();
  const system = new Map<string, number>();
  const own = { credit: 0, owed: 0, minutes: 0, owedMinutes: 0 };

  /** A debit is positive, as in the ledger. */
  const debit = (account: string, amount: number) => void system.set(account, (system.get(account) ?? 0) + amount);
  const credit = (account: string, amount: number) => debit(account, -amount);
  const change = (minutes: number, source: string) => {
    if (minutes !== 0) hours.push(`${minutes} ${source}`);
    own.minutes += minutes;
  };
  const note = (provider: string, cents: number, status: string) => void payments.push(`${provider} ${cents} ${status}`);
  /** A payment already noted goes on to another status. */
  function move(provider: string, cents: number, from: string, to: string): void {
    const at = payments.indexOf(`${provider} ${cents} ${from}`);
    if (at < 0) throw new Error(`no payment ${provider} ${cents} ${from}`);
    payments[at] = `${provider} ${cents} ${to}`;
  }
  function addMinutes(minutes: number, source: string): void {
    change(minutes, source);
    const settled = Math.min(own.owedMinutes, own.minutes);
    change(-settled, "chargeback");
    own.owedMinutes -= settled;
  }
  function addCredit(cents: number): void {
    const settled = Math.min(own.owed, cents);
    own.owed -= settled;
    own.credit += cents - settled;
  }
  function grant(minutes: number, source: string): void {
    addMinutes(minutes, source);
    debit("min:issued", minutes);
  }

  function hold({ by, cost, minutes }: Terms, quantity: number): void {
    if (by === "credit") own.credit -= cost * quantity;
    else change(-minutes * quantity, "playtest");
  }

  return {
    ...{ payments, hours, earned, system, own, note, move, grant },
    topUp(cents: number, from = "assets:processor:sandbox") {
      debit(from, cents);
      addCredit(cents);
    },
    goodwill(cents: number) {
      debit("expense:goodwill", cents);
      addCredit(cents);
    },
    /** A dispute or a refund of a top-up. */
    reverseTopUp(cents: number, status: "disputed" | "refunded") {
      move("sandbox", cents, "completed", status);
      credit("assets:processor:sandbox", cents);
      const covered = Math.min(own.credit, cents);
      own.credit -= covered;
      own.owed += cents - covered;
    },
    payPlan({ price, minutes }: { price: number; minutes: number }) {
      note("sandbox", price, "completed");
      debit("assets:processor:sandbox", price);
      credit("revenue:subscription", price);
      grant(minutes, "invoice");
    },
    disputePlan({ price, minutes }: { price: number; minutes: number }) {
      move("sandbox", price, "completed", "disputed");
      credit("assets:processor:sandbox", price);
      debit("revenue:subscription", price);
      credit("min:issued", minutes);
      const covered = Math.min(own.minutes, minutes);
      change(-covered, "chargeback");
      own.owedMinutes += minutes - covered;
    },
    hold,
    order(terms: Terms, quantity: number) {
      if (terms.by === "credit") note("credit", terms.cost * quantity, "completed");
      else note("playtest_hours", 0, "completed");
      hold(terms, quantity);
    },
    refund({ by, cost, minutes }: Terms, source: "slot_refund" | "manual_slot_expired") {
      if (by === "credit") addCredit(cost);
      else addMinutes(minutes, source);
    },
    accept({ by, cost, payout, minutes }: Terms, tester: string) {
      earned.set(tester, (earned.get(tester) ?? 0) + payout);
      if (by === "credit") return credit("revenue:platform", cost - payout);
      debit("expense:payout_subscription", payout);
      credit("min:consumed", minutes);
    },
    reject({ by, cost, minutes }: Terms) {
      if (by === "credit") credit("revenue:forfeit", cost);
      else credit("min:consumed", minutes);
    },
    payOut(tester: string, cents: number) {
      earned.set(tester, earned.get(tester)! - cents);
      credit("assets:bank", cents);
    },
  };
}

export type ExpectedFigures = ReturnType<typeof expectedFigures>;
