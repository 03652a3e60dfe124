import type { Mutant } from "../mutant.ts";
import { applicationsRules } from "./applications.ts";
import { archivesRules } from "./archives.ts";
import { auditRules } from "./audit.ts";
import { authorizationRules } from "./authorization.ts";
import { cardsRules } from "./cards.ts";
import { concurrencyRules } from "./concurrency.ts";
import { cryptoRules } from "./crypto.ts";
import { factorsRules } from "./factors.ts";
import { groupCommitRules } from "./group-commit.ts";
import { idempotencyRules } from "./idempotency.ts";
import { inboxRules } from "./inbox.ts";
import { joiningRules } from "./joining.ts";
import { ledgerRules } from "./ledger.ts";
import { limitsRules } from "./limits.ts";
import { listenRules } from "./listen.ts";
import { migrationsRules } from "./migrations.ts";
import { modelRules } from "./model.ts";
import { moneyRules } from "./money.ts";
import { operationsRules } from "./operations.ts";
import { ordersRules } from "./orders.ts";
import { paginationRules } from "./pagination.ts";
import { publishingRules } from "./publishing.ts";
import { queryCacheRules } from "./query-cache.ts";
import { searchRules } from "./search.ts";
import { sharesRules } from "./shares.ts";
import { slotsRules } from "./slots.ts";
import { ssrfRules } from "./ssrf.ts";
import { stillsRules } from "./stills.ts";
import { subscriptionsRules } from "./subscriptions.ts";
import { uploadsRules } from "./uploads.ts";
import { webhooksRules } from "./webhooks.ts";

/** By the name of their file. */
export const mutantsByFile: Record<string, readonly Mutant[]> = {
  slots: slotsRules,
  orders: ordersRules,
  applications: applicationsRules,
  subscriptions: subscriptionsRules,
  money: moneyRules,
  concurrency: concurrencyRules,
  idempotency: idempotencyRules,
  pagination: paginationRules,
  authorization: authorizationRules,
  audit: auditRules,
  factors: factorsRules,
  search: searchRules,
  shares: sharesRules,
  stills: stillsRules,
  publishing: publishingRules,
  cards: cardsRules,
  crypto: cryptoRules,
  ledger: ledgerRules,
  "group-commit": groupCommitRules,
  inbox: inboxRules,
  joining: joiningRules,
  limits: limitsRules,
  listen: listenRules,
  webhooks: webhooksRules,
  ssrf: ssrfRules,
  migrations: migrationsRules,
  model: modelRules,
  operations: operationsRules,
  archives: archivesRules,
  "query-cache": queryCacheRules,
  uploads: uploadsRules,
};

export const mutants: readonly Mutant[] = Object.values(mutantsByFile).flat();
