/** What `npm run test:mutants:rules` does: see test/README.md. Paths are those of the checkout. */
export default {
  mutate: [
    "server/**/rules.ts",
    "server/**/*-rules.ts",
    "server/billing/crypto/proving/message.ts",
    "server/billing/crypto/x402.ts",
    "server/billing/subscriptions/plans.ts",
    "server/database/state-machine.ts",
    "server/events/webhooks/{schedule,signature}.ts",
    "server/http/limits/rate-limit.ts",
    "server/ledger/check-rule.ts",
    "server/lib/{addresses,money,time}.ts",
    "server/playtests/pricing.ts",
    "server/playtests/slots/eligibility.ts",
    "src/contract/states/*.ts",
  ],
  ignorePatterns: [".tmp", "dist", "test/bench", "test/recorded"],
  tempDirName: ".tmp/stryker",
  testRunner: "vitest",
  vitest: { configFile: "test/mutants/vitest.config.ts" },
  plugins: ["@stryker-mutator/vitest-runner", "./test/mutants/sentences.mjs"],
  ignorers: ["sentences"],
  coverageAnalysis: "perTest",
  incremental: true,
  incrementalFile: ".tmp/stryker-incremental.json",
  thresholds: { high: 98, low: 93, break: 93 },
  // Static mutants, of tables and constants, are what the rules are about.
  warnings: { slow: false },
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  jsonReporter: { fileName: ".tmp/stryker.json" },
  // TypeScript 7 has no API to rewrite it with; vitest needs none.
  tsconfigFile: "none",
  // vitest strips the types; nothing is checked.
  disableTypeChecks: false,
  packageManager: "npm",
  allowConsoleColors: false,
};
