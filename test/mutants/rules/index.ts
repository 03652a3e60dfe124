import type { Mutant } from "../mutant.ts";
import { applicationsRules } from "./applications.ts";
import { authorizationRules } from "./authorization.ts";
import { concurrencyRules } from "./concurrency.ts";
import { idempotencyRules } from "./idempotency.ts";
import { modelRules } from "./model.ts";
import { moneyRules } from "./money.ts";
import { ordersRules } from "./orders.ts";
import { paginationRules } from "./pagination.ts";
import { publishingRules } from "./publishing.ts";
import { slotsRules } from "./slots.ts";
import { subscriptionsRules } from "./subscriptions.ts";

export const mutants: readonly Mutant[] = [
  ...slotsRules,
  ...ordersRules,
  ...applicationsRules,
  ...subscriptionsRules,
  ...moneyRules,
  ...concurrencyRules,
  ...idempotencyRules,
  ...paginationRules,
  ...authorizationRules,
  ...publishingRules,
  ...modelRules,
];
