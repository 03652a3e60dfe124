import type Database from "better-sqlite3";

export type Sqlite = typeof Database;

/** better-sqlite3 13 ships its binaries, and does not run on Node.js 20. A process on Node.js 24 or later may abort with version 12. */
const shipsBinaries = (node: string) => Number(node.split(".")[0]) >= 22;
export const sqlitePackage = shipsBinaries(process.versions.node) ? "better-sqlite3" : "better-sqlite3-12";

/** What to do when the package is missing. A copy of it in another folder, such as the current one, would not be found. */
export function howToInstall(node = process.versions.node): string {
  const again =
    "install playtest again as you did before (for a global installation: `npm install --global` with the same package), without `--omit=optional`";
  const otherwise = "Or set DATABASE_URL to use PostgreSQL.";
  if (shipsBinaries(node)) return `To get it, ${again}. It needs no compiler. ${otherwise}`;
  return (
    "With Node.js 22 or later it needs no compiler. With Node.js 20, npm downloads it or builds it, which takes python3, make and a C++ compiler: " +
    `\`apt-get install python3 make g++\` on Debian and Ubuntu, \`xcode-select --install\` on macOS. Then ${again}, and with ` +
    `\`--allow-scripts=better-sqlite3\` if npm says that it ran no install scripts. ${otherwise}`
  );
}

/** The package for this version of Node.js. The other one is never loaded. */
export async function loadSqlite(): Promise<Sqlite> {
  const { default: Sqlite } = (await import(sqlitePackage)) as { default: Sqlite };
  return Sqlite;
}
