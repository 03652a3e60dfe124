import { expect, it } from "vitest";
import { effectsOf } from "../../server/database/effects.ts";
import { migrations } from "../../server/database/migrate.ts";

it.each(["sqlite", "postgres"] as const)("it is known what every statement of every migration does (%s)", (variant) => {
  for (const migration of migrations) expect(effectsOf(migration, { variant })).toHaveLength(migration.statements.length);
});

it("a statement of a form that is not known is refused", () => {
  const migration = { name: "001-a", statements: ["ALTER TABLE pets RENAME TO animals"] };
  expect(() => effectsOf(migration, { variant: "sqlite" })).toThrow("It is not known what this statement does: ALTER TABLE pets");
});
