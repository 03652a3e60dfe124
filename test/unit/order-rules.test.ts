import { describe, expect, it } from "vitest";
import { defaults } from "../../server/config/defaults.ts";
import { becameLow, claimable, isLow, masked } from "../../server/playtests/keys/rules.ts";
import { noPrice, priceOf, type Terms } from "../../server/playtests/pricing.ts";
import { choosePaymentMethod, type PaymentMethod } from "../../server/playtests/rules.ts";

describe("how an order is paid", () => {
  const need = { totalCents: 3000, minutesNeeded: 180 };
  it.each<{ method: PaymentMethod; cents: number; minutes: number; by: string }>([
    { method: "any", cents: 3000, minutes: 180, by: "hours" },
    { method: "any", cents: 3000, minutes: 179, by: "credit" },
    { method: "any", cents: 2999, minutes: 179, by: "refused for credit" },
    { method: "any", cents: 1, minutes: 0, by: "refused for credit" },
    { method: "any", cents: 0, minutes: 0, by: "later" },
    { method: "hours", cents: 9000, minutes: 180, by: "hours" },
    { method: "hours", cents: 9000, minutes: 179, by: "refused for hours" },
    { method: "credit", cents: 3000, minutes: 180, by: "credit" },
    { method: "credit", cents: 2999, minutes: 180, by: "refused for credit" },
    { method: "card", cents: 9000, minutes: 180, by: "later" },
    { method: "x402", cents: 0, minutes: 180, by: "hours" },
    { method: "x402", cents: 3000, minutes: 0, by: "credit" },
    { method: "x402", cents: 2999, minutes: 179, by: "crypto" },
  ])("by $method, with $cents cents and $minutes minutes: $by", ({ method, cents, minutes, by }) => {
    const chosen = choosePaymentMethod(need, { balanceCents: cents, minutesAvailable: minutes }, method);
    expect(chosen.by === "refused" ? `refused for ${chosen.lacks}` : chosen.by).toBe(by);
  });

  it("an order that costs nothing is free, whatever was asked for", () => {
    const funds = { balanceCents: 0, minutesAvailable: 0 };
    expect(choosePaymentMethod({ totalCents: 0, minutesNeeded: 0 }, funds, "card")).toEqual({ by: "free" });
  });
});

describe("the price of a slot", () => {
  const pricing = { ...defaults.pricing, payoutPerHourCents: 1001 };
  it.each<[Terms, ReturnType<typeof priceOf>]>([
    [
      { visibility: "private", durationMinutes: 30, playerCount: 1 },
      { costCents: pricing.baseCents[30], payoutCents: 501, minutes: 30 },
    ],
    [
      { visibility: "private", durationMinutes: 60, playerCount: 3 },
      { costCents: pricing.baseCents[60] + 2 * pricing.furtherPlayerCents[60], payoutCents: 3003, minutes: 180 },
    ],
    [
      { visibility: "public", durationMinutes: 60, playerCount: 3 },
      { costCents: 0, payoutCents: pricing.publicPayoutCents, minutes: 0 },
    ],
  ])("for %j is %j", (terms, price) => {
    expect(priceOf(terms, pricing)).toEqual(price);
  });

  it("is nothing on a server without payments", () => {
    expect(noPrice).toEqual({ costCents: 0, payoutCents: 0, minutes: 0 });
  });

  it.each([
    { baseCents: {}, furtherPlayerCents: { 45: 100 } },
    { baseCents: { 45: 100 }, furtherPlayerCents: {} },
  ])("is unknown for a duration without a price: %j", (prices) => {
    const terms: Terms = { visibility: "private", durationMinutes: 45, playerCount: 1 };
    expect(() => priceOf(terms, { ...pricing, ...prices } as object as typeof pricing)).toThrow("no price for 45 minutes");
  });
});

describe("game keys", () => {
  it.each([
    { unused: 4, needed: 4, low: false, became: false },
    { unused: 3, needed: 4, low: true, became: true },
    { unused: 2, needed: 4, low: true, became: true },
    { unused: 1, needed: 4, low: true, became: false },
  ])("$unused for $needed: too few: $low, since the last slot of two players: $became", ({ low, became, ...supply }) => {
    expect([isLow(supply), becameLow(supply, 2)]).toEqual([low, became]);
  });

  it.each([
    [5, 10, 2, 5],
    [5, 7, 2, 3],
    [5, 1, 2, 0],
  ])("of %i open slots, with %i keys and %i players, %i can be claimed", (open, unused, perSlot, slots) => {
    expect(claimable(open, unused, perSlot)).toBe(slots);
  });

  it.each([
    ["ABCD-EFGH", "…EFGH"],
    ["ABCDEFGH", "…"],
  ])("%s is shown as %s", (key, shown) => {
    expect(masked(key)).toBe(shown);
  });
});
