/** Loaded before the server: counts the statements that it executes from a signal SIGUSR2 to its end, and writes the number to a file. */
import { writeFileSync } from "node:fs";

// As server/database/sqlite/package.ts chooses, which cannot be loaded before the sources are.
const name = Number(process.versions.node.split(".")[0]) >= 22 ? "better-sqlite3" : "better-sqlite3-12";
const { default: Database } = await import(name);

let count = 0;
const { prepare } = Database.prototype;
Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  for (const name of ["get", "all", "run"]) {
    const execute = statement[name].bind(statement);
    statement[name] = (...values) => {
      count++;
      return execute(...values);
    };
  }
  return statement;
};
process.on("SIGUSR2", () => {
  count = 0;
});
process.on("exit", () => writeFileSync(process.env.PLAYTEST_BENCH_STATEMENTS, String(count)));
