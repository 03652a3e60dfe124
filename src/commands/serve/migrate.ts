import type { Moved } from "../../../server/operations/move/move.ts";
import { type Context, define, flag, type Outcome } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";
import { withProgress } from "./with-progress.ts";

export interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
}

function movedText({ from, to, rows, tables, pauseMs, resumed }: Moved): string {
  const copied = `${plural(rows, "row")} in ${plural(tables, "table")}`;
  const done = resumed
    ? `Completed the move of ${from} to ${to} that was interrupted: ${copied}. The old database refuses every change since then.`
    : `Moved ${from} to ${to} and compared both: ${copied}.
Nothing could be written for the last ${(pauseMs / 1000).toFixed(1)} s, and the old database refuses every change from now on.`;
  return `${done}
Restart the server now with the same data directory and --database-url (or DATABASE_URL). Remove the old database when everything works.`;
}

async function moveTo(ctx: Context, to: string, given: Given): Promise<Outcome> {
  refuseDryRun(ctx);
  const [{ move }, { randomBytes }] = await Promise.all([
    import("../../../server/operations/move/move.ts"),
    import("node:crypto"),
  ]);
  const options = { ...given, to, env: serverEnv(ctx), now: ctx.now, randomBytes };
  const moved = await withProgress(ctx, (onProgress) => move({ ...options, onProgress }));
  return ctx.text(movedText(moved), { result: moved });
}

export async function applyMigrations(ctx: Context, backup: boolean, given: Given): Promise<Outcome> {
  refuseDryRun(ctx);
  const { migrateDatabase } = await import("../../../server/operations/doctor.ts");
  const options = { ...given, backup, env: serverEnv(ctx) };
  const result = await migrateDatabase(options).catch((error: unknown) => Promise.reject(refused(error)));
  const { applied, copy } = result;
  const kept = copy === null ? "" : `\nThe database as it was before: ${copy} (kept for 14 days).`;
  const text =
    applied.length === 0
      ? "The database is up to date."
      : `Applied ${plural(applied.length, "migration")}: ${applied.join(", ")}.${kept}`;
  return ctx.text(`${locationText(result.location)}\n${text}`, { result });
}

export const migrate = define({
  name: "migrate",
  summary: "Apply pending database migrations, or move from SQLite to PostgreSQL",
  description:
    "The server also applies migrations when it starts. An SQLite database is copied into its folder first; copy a PostgreSQL database with pg_dump yourself. If a migration fails, none is applied, except on CockroachDB and YugabyteDB, which apply them one by one. With --to, moves the data of a server with SQLite to an empty PostgreSQL database. " +
    "The server may be running: rows are copied while it goes on. For the last changes and to compare all rows, writes wait a few seconds, and those that wait too long get 503 with Retry-After. " +
    "Afterwards the old database refuses every change, and the server must be restarted with the new one. A move that fails or is killed changes nothing. Uploads stay in the data directory.",
  risk: "local",
  args: {},
  flags: {
    ...location,
    noBackup: flag.toggle("Do not copy an SQLite database before it is migrated"),
    to: flag.text("Move the data to this PostgreSQL database, which must be empty", { value: "URL" }),
  },
  examples: [
    "playtest serve migrate --data /var/lib/playtest",
    "playtest serve migrate --database-url postgres://localhost/playtest",
    "playtest serve migrate --data /var/lib/playtest --to postgres://localhost/playtest",
  ],
  exits: [6],
  run({ flags: { to, noBackup, ...given } }, ctx) {
    return to === undefined ? applyMigrations(ctx, !noBackup, given) : moveTo(ctx, to, given);
  },
});
