/** The cheapest way to pay for a set of orders: pure arithmetic on prices and minutes. */

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
  /** Names of the orders paid with hours: an order takes hours for all of it or none. */
  byHours: string[];
  minutesUsed: number;
  minutesLeft: number;
  creditCents: number;
  /** What has to be paid: plan and credit. */
  totalCents: number;
}

/** The orders whose prices are worth most among those that fit into the minutes. */
function worthiest(orders: readonly PricedOrder[], minutes: number): Set<number> {
  const unit = orders.reduce((a, { minutes: b }) => gcd(a, b), 0) || 1;
  const room = Math.min(Math.floor(minutes / unit), orders.reduce((sum, order) => sum + order.minutes, 0) / unit);
  let best = Array.from({ length: room + 1 }, () => ({ cents: 0, chosen: [] as number[] }));
  for (const [index, { cents, minutes: needed }] of orders.entries()) {
    const size = needed / unit;
    best = best.map((present, space) => {
      const before = space >= size ? best[space - size]! : undefined;
      return before && before.cents + cents > present.cents
        ? { cents: before.cents + cents, chosen: [...before.chosen, index] }
        : present;
    });
  }
  return new Set(best.at(-1)?.chosen);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Every way: with no plan and with each, cheapest first; of two that cost the same, the one that leaves more. `minutes` are those at hand. */
export function mixes(orders: readonly PricedOrder[], minutes: number, plans: readonly PlanOffer[]): Mix[] {
  const offers = [{ key: null, priceCents: 0, minutesPerCycle: 0 }, ...plans];
  const found = offers.map(({ key, priceCents, minutesPerCycle }) => {
    const available = minutes + minutesPerCycle;
    const chosen = worthiest(orders, available);
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
