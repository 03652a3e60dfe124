/** The cheapest way to pay for a set of orders: pure functions of prices and minutes. */

export interface PricedOrder {
  name: string;
  cents: number;
  minutes: number;
}

export interface PlanOffer {
  key: string;
  priceCents: number;
  minutesPerCycle: number;
}

export interface Mix {
  /** Plan to buy first, if any. */
  plan: string | null;
  planCents: number;
  /** Names of the orders paid with hours: an order is paid entirely with hours or not at all. */
  byHours: string[];
  minutesUsed: number;
  minutesLeft: number;
  creditCents: number;
  /** Price of the plan plus credit. */
  totalCents: number;
}

/** Indexes of the orders to pay with hours: those of the highest total price that fit into the minutes (knapsack). */
function ordersOnHours(orders: readonly PricedOrder[], minutes: number): Set<number> {
  const unit = orders.reduce((a, { minutes: b }) => gcd(a, b), 0) || 1;
  const room = Math.min(Math.floor(minutes / unit), orders.reduce((sum, order) => sum + order.minutes, 0) / unit);
  let best = Array.from({ length: room + 1 }, () => ({ cents: 0, chosen: [] as number[] }));
  for (const [index, { cents, minutes: needed }] of orders.entries()) {
    const size = needed / unit;
    best = best.map((current, space) => {
      const before = space >= size ? best[space - size]! : undefined;
      return before && before.cents + cents > current.cents
        ? { cents: before.cents + cents, chosen: [...before.chosen, index] }
        : current;
    });
  }
  return new Set(best.at(-1)?.chosen);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Ways to pay without a plan and with each plan, cheapest first; among equals, the one that leaves more minutes. `minutes`: the balance. */
export function mixes(orders: readonly PricedOrder[], minutes: number, plans: readonly PlanOffer[]): Mix[] {
  const offers = [{ key: null, priceCents: 0, minutesPerCycle: 0 }, ...plans];
  const found = offers.map(({ key, priceCents, minutesPerCycle }) => {
    const available = minutes + minutesPerCycle;
    const chosen = ordersOnHours(orders, available);
    const byHours = orders.filter((_, i) => chosen.has(i));
    const creditCents = orders.reduce((sum, { cents }, i) => sum + (chosen.has(i) ? 0 : cents), 0);
    const minutesUsed = byHours.reduce((sum, order) => sum + order.minutes, 0);
    return {
      plan: key,
      planCents: priceCents,
      byHours: byHours.map(({ name }) => name),
      minutesUsed,
      minutesLeft: available - minutesUsed,
      creditCents,
      totalCents: priceCents + creditCents,
    };
  });
  return found.sort((a, b) => a.totalCents - b.totalCents || b.minutesLeft - a.minutesLeft);
}
