// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

const migrate = "server/database/migrate.ts";
const stepwise = "server/database/stepwise.ts";
const postgres = "server/database/postgres/postgres.ts";

const everyKill = "(continue after a kill)";
const together = "(make each change once)";

/** Where definitions of tables cannot be parts of transactions. */
export const migrationsRules: readonly Mutant[] = (
  [
    ["an interrupted definition is repeated", everyKill, migrate, '"$& IF NOT EXISTS"', '"$&"'],
    ["an interrupted removal is repeated", everyKill, migrate, '"$& IF EXISTS"', '"$&"'],
    [
      "an interrupted constraint is repeated",
      everyKill,
      migrate,
      "definitions: [`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_${column}_check`, constraintOf(statement)]",
      "definitions: [constraintOf(statement)]",
    ],
    [
      "rows are changed together with the note of it",
      everyKill,
      stepwise,
      "await write(store, (tx) => tx.run(step.change).then(() => note(tx)));",
      "await write(store, (tx) => tx.run(step.change).then(() => {}));\n        await write(store, note);",
    ],
    ["a migration that was interrupted continues", everyKill, stepwise, "let done = await lease.done(position)", "let done = 0"],
    ["one process migrates at a time", together, stepwise, "WHERE migration_progress.lease_until <= ${now}", "WHERE TRUE"],
    [
      "who got the lease looks again what is left",
      together,
      stepwise,
      "while ((await pending()).length > 0) {",
      "const left = await pending();\n  while ((await pending()).length > 0) {\n    pending = async () => left;",
    ],
    [
      "who lost the lease changes nothing",
      "(notice when others)",
      stepwise,
      "+ ? WHERE holder = ?`;\n    if",
      "+ ? WHERE holder <> '' OR holder = ?`;\n    if",
    ],
    [
      "who lost the lease waits for the others",
      "(notice when others)",
      stepwise,
      "if (!(error instanceof LostLease)) throw error;",
      "throw error;",
    ],
    ["the lease is renewed meanwhile", "(keep the lease)", stepwise, "void this.#extend(this.#ms).catch(() => {})", "{}"],
    ["the lease ends with a failure", "(let go of the lease)", stepwise, "      await this.#extend(0).catch(() => {});\n", ""],
    ["rows are checked before a constraint", "(let go of the lease)", stepwise, "      await store.read(step.check);\n", ""],
    [
      "no statement is run that cannot be repeated",
      "(refuse a statement)",
      migrate,
      "  if (repeated === sql) throw",
      "  if (sql === '') throw",
    ],
    [
      "definitions are made outside of transactions",
      "(make what transactions)",
      postgres,
      "return withoutUndo.test(version) ?",
      "return version === '' ?",
    ],
  ] as const
).map(([rule, only, file, from, to]) => ({ rule, only, test: "store/stepwise-migrations", edits: [[file, from, to]] }));
