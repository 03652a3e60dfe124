import type { UpgradePlan } from "../../../server/operations/upgrade-plan.ts";
import { type Context, define, flag, type Outcome } from "../../cli/define.ts";
import { plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { applyMigrations, type Given } from "./migrate.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";

/** Rounded up: whoever plans an upgrade wants no less. */
const timeText = (ms: number) => (ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`);

function estimateText({ rows, estimate: { fromMs, toMs } }: UpgradePlan): string {
  const counts = Object.entries(rows).map(([table, count]) => `${table} ${count}`);
  const basis = counts.length === 0 ? "no rows have to be read" : `the rows that are read (${counts.join(", ")})`;
  return `Estimated time: ${timeText(fromMs)} to ${timeText(toMs)}, from ${basis} and rates measured on a machine with 2 cores and a local disk. The longer time is for a machine that is five times slower.`;
}

function planText(plan: UpgradePlan): string {
  const { migrations, rewritten, sideBySide, locked } = plan;
  if (migrations.length === 0) return "The database is up to date: this version changes nothing in it.";
  return [
    `${plural(migrations.length, "migration")} pending. Nothing was changed.`,
    ...migrations.map(({ name, changes }) => `  ${name}: ${changes.join(", ") || "nothing in this kind of database"}`),
    `Tables whose rows are all written again: ${rewritten.join(", ") || "none"}.`,
    estimateText(plan),
    sideBySide.possible
      ? "Old and new processes can run side by side: the older version still works with the changed tables, but refuses the database when it is started again."
      : `Old and new processes cannot run side by side: ${sideBySide.reasons.join("; ")}. Stop the older version first.`,
    ...(locked.length === 0 ? [] : [`Requests that use these tables wait until all migrations are done: ${locked.join(", ")}.`]),
  ].join("\n");
}

async function checkUpgrade(ctx: Context, given: Given): Promise<Outcome> {
  const server = await import("../../../server/operations/doctor.ts");
  const result = await server
    .checkUpgrade({ ...given, env: serverEnv(ctx) })
    .catch((error: unknown) => Promise.reject(refused(error)));
  return ctx.text(`${locationText(result.location)}\n${planText(result)}`, { result });
}

export const upgrade = define({
  name: "upgrade",
  summary: "Show what an upgrade changes in the database, or bring it up to date",
  description:
    "With --check, lists the pending migrations, says which tables are written again and how long that takes for the rows they have, and whether processes of the older version may run meanwhile. " +
    "It changes nothing, and the server may be running. Without --check, applies the migrations as `playtest serve migrate` does.",
  risk: "local",
  args: {},
  flags: {
    ...location,
    check: flag.toggle("Only show what would change"),
    noBackup: flag.toggle("Do not copy an SQLite database before it is changed"),
  },
  examples: ["playtest serve upgrade --check", "playtest serve upgrade --check --data /var/lib/playtest --json"],
  exits: [6],
  run({ flags: { check, noBackup, ...given } }, ctx) {
    return check ? checkUpgrade(ctx, given) : applyMigrations(ctx, !noBackup, given);
  },
});
