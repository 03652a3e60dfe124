export const payoutMethods = ["bank", "paypal", "other"] as const;
export type PayoutMethod = (typeof payoutMethods)[number];
