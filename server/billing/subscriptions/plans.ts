import type { planIntervals, planKeys, planTiers } from "../../../src/contract/billing.ts";

export type PlanKey = (typeof planKeys)[number];

/** A subscription plan. Its minutes are granted up front for the whole cycle. */
export interface Plan {
  key: PlanKey;
  name: string;
  displayName: string;
  tier: (typeof planTiers)[number];
  interval: (typeof planIntervals)[number];
  priceCents: number;
  minutesPerCycle: number;
}

const table: Record<PlanKey, Omit<Plan, "key">> = {
  indie_monthly: {
    name: "Indie Monthly",
    displayName: "Indie, monthly",
    tier: "indie",
    interval: "month",
    priceCents: 7_900,
    minutesPerCycle: 300,
  },
  indie_yearly: {
    name: "Indie Yearly",
    displayName: "Indie, yearly",
    tier: "indie",
    interval: "year",
    priceCents: 79_000,
    minutesPerCycle: 3_600,
  },
  studio_monthly: {
    name: "Studio Monthly",
    displayName: "Studio, monthly",
    tier: "studio",
    interval: "month",
    priceCents: 37_900,
    minutesPerCycle: 1_500,
  },
  studio_yearly: {
    name: "Studio Yearly",
    displayName: "Studio, yearly",
    tier: "studio",
    interval: "year",
    priceCents: 379_000,
    minutesPerCycle: 18_000,
  },
};

export const planOf = (key: PlanKey): Plan => ({ key, ...table[key] });
export const plans: readonly Plan[] = (Object.keys(table) as PlanKey[]).map(planOf);

export const hours = (minutes: number) => minutes / 60;
