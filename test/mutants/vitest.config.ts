import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const tests = [
  "addresses",
  "amounts",
  "billing-rules",
  "budget-rules",
  "chat-preview",
  "covers",
  "crypto",
  "invoice-rules",
  "ledger-rules",
  "limit-exchange",
  "mail-rules",
  "order-rules",
  "passkeys",
  "payout-details",
  "plan-rules",
  "publication-rules",
  "rate-limit",
  "search",
  "schedule",
  "server-settings",
  "shares",
  "slots",
  "state-machine",
  "states",
  "statistics",
  "totp",
  "webhook-schedule",
  "webhook-signature",
  "webvtt",
];

/** The tests that mutants of the rules have to fail: those that need no database. */
export default defineConfig({
  test: {
    deps: { interopDefault: false },
    root: fileURLToPath(new URL("../..", import.meta.url)),
    globalSetup: ["test/setup/scratch.ts"],
    setupFiles: ["test/setup/each-test.ts"],
    include: tests.map((name) => `test/unit/${name}.test.ts`),
    testTimeout: 60_000,
  },
});
