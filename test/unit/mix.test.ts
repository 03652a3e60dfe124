import fc from "fast-check";
import { expect, it } from "vitest";
import { mixes, type PlanOffer, type PricedOrder } from "../../src/commands/billing/mix.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** The least to pay, by trying every choice of orders with every plan. */
function cheapest(orders: readonly PricedOrder[], minutes: number, plans: readonly PlanOffer[]): number {
  const choices = Array.from({ length: 2 ** orders.length }, (_, bits) => orders.map((__, index) => (bits >> index) % 2 === 1));
  return Math.min(
    ...[{ priceCents: 0, minutesPerCycle: 0 }, ...plans].flatMap((plan) =>
      choices
        .filter((chosen) => sum(orders.map((one, i) => (chosen[i] ? one.minutes : 0))) <= minutes + plan.minutesPerCycle)
        .map((chosen) => plan.priceCents + sum(orders.map((one, i) => (chosen[i] ? 0 : one.cents)))),
    ),
  );
}

const slots = fc.constantFrom([30, 1500], [60, 2000], [120, 3500], [180, 5000], [45, 1999]);
const order = fc
  .tuple(slots, fc.integer({ min: 1, max: 6 }))
  .map(([[minutes, cents], count]) => ({ minutes: minutes! * count, cents: cents! * count }));
const plan = fc.record({
  key: fc.constant("plan"),
  priceCents: fc.integer({ min: 0, max: 30_000 }),
  minutesPerCycle: fc.integer({ min: 0, max: 900 }),
});

it("mixes: the first one is the cheapest of all ways to pay", () => {
  fc.assert(
    fc.property(
      fc.array(order, { maxLength: 7 }),
      fc.integer({ min: 0, max: 700 }),
      fc.array(plan, { maxLength: 3 }),
      (given, minutes, plans) => {
        const orders = given.map((one, index) => ({ ...one, name: `#${index}` }));
        const [best] = mixes(orders, minutes, plans);
        expect(best!.totalCents).toBe(cheapest(orders, minutes, plans));
        const byHours = orders.filter(({ name }) => best!.byHours.includes(name));
        expect(sum(byHours.map((one) => one.minutes))).toBe(best!.minutesUsed);
        expect(best!.minutesLeft).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 400, seed: 42 },
  );
});
