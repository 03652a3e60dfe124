import { expect, it } from "vitest";
import { howToInstall } from "../../server/database/sqlite/package.ts";

const again =
  "install playtest again as you did before (for a global installation: `npm install --global` with the same package), without `--omit=optional`";
const otherwise = "Or set DATABASE_URL to use PostgreSQL.";

it.each(["22.12.0", "24.21.0", "26.10.0"])("without SQLite's package, Node.js %s needs no compiler", (node) => {
  expect(howToInstall(node)).toBe(`To get it, ${again}. It needs no compiler. ${otherwise}`);
});

it("without SQLite's package, Node.js 20 is told what builds it, and where it is installed", () => {
  const advice = howToInstall("20.20.2");
  expect(advice).toContain("`apt-get install python3 make g++` on Debian and Ubuntu");
  expect(advice).toContain(`Then ${again}, and with \`--allow-scripts=better-sqlite3\``);
  expect(advice).not.toContain("npm install better-sqlite3");
  expect(advice).toMatch(/ Or set DATABASE_URL to use PostgreSQL\.$/);
});
