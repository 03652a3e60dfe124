import type { Restored } from "../../../../server/operations/archive/restore.ts";
import { arg, type Context, define, flag, type Outcome } from "../../../cli/define.ts";
import { declined } from "../../../errors.ts";
import { bytes, plural } from "../../../io/text.ts";
import { withSettings } from "../location-flags.ts";
import { locationText } from "../location-text.ts";
import { refused } from "../refused.ts";
import { serverEnv } from "../server-env.ts";
import { withProgress } from "../with-progress.ts";
import { withArchive } from "./input.ts";

const archive = arg.text("Backup or export: a directory or a file, or - for a file on standard input");
const flags = {
  ...withSettings,
  allowPrograms: flag.toggle("Restore settings of the archive that make the server run programs, such as transcriber.command"),
  deletions: flag.text("Delete the accounts in this list again (default: deletions.txt beside the backup)", { value: "FILE" }),
};

interface Given {
  deletions?: string | undefined;
  allowPrograms: boolean;
  data: string | undefined;
  config: string | undefined;
  databaseUrl: string | undefined;
}

function resultText({ archive: from, createdAt, dataDir, files, bytes: size, replaced, missing, deletions }: Restored): string {
  const lines = [`Restored ${from} of ${createdAt} to ${dataDir} and verified it: ${plural(files, "file")}, ${bytes(size)}.`];
  if (missing.length > 0) lines.push(`Already missing on the original server: ${missing.join(", ")}.`);
  if (deletions.length > 0)
    lines.push(`The server will delete ${plural(deletions.length, "account")} again when it starts: deleted after this backup.`);
  if (replaced !== null) lines.push(`The previous data is in ${replaced}. Remove it when everything works.`);
  return lines.join("\n");
}

/**
 * Says which settings the archive changes, and asks about programs that the server would run because of them. --yes is not enough: it was
 * given without knowing of them.
 */
async function confirmSettings(
  ctx: Context,
  path: string,
  server: { dataDir: string; config?: string | undefined },
  allowed: boolean,
) {
  const { configChangesAt } = await import("../../../../server/operations/archive/programs.ts");
  const { programs, settings } = await configChangesAt(path, server).catch((error: unknown) => Promise.reject(refused(error)));
  if (settings.length > 0)
    ctx.out.warn(
      `${path} brings other settings than ${server.config ?? server.dataDir} has: ${settings.join(", ")}. Settings decide where email and money go: check config.json before you start the server.`,
    );
  if (programs.length === 0 || allowed) return programs;
  const listed = programs.map(({ setting, command }) => `${setting} ${command}`).join(", ");
  if (ctx.flags.dryRun) {
    ctx.out.warn(`The settings in ${path} make the server run programs: ${listed}. Restoring it takes --allow-programs.`);
    return [];
  }
  const question = `The settings in ${path} make the server run programs: ${listed}. Restore them?`;
  if (!(await ctx.prompt.confirm(question, "If you trust them, pass --allow-programs."))) throw declined();
  return programs;
}

function takeArchive(ctx: Context, from: string, given: Given, replace: boolean): Promise<Outcome> {
  // Beside what comes from standard input there is no list.
  if (from === "-" && given.deletions === undefined)
    ctx.out.warn(
      "Accounts that were deleted after this backup come back. To delete them again, pass their list with --deletions.",
    );
  return withArchive(ctx, from, undefined, (path) => restoreArchive(ctx, path, given, replace));
}

async function restoreArchive(ctx: Context, path: string, flags: Given, replace: boolean): Promise<Outcome> {
  const [{ restore }, { dataLocationOf }] = await Promise.all([
    import("../../../../server/operations/archive/restore.ts"),
    import("../../../../server/config/data-location.ts"),
  ]);
  const dryRun = ctx.flags.dryRun === true;
  const { allowPrograms, ...given } = flags;
  const env = serverEnv(ctx);
  const programs = await confirmSettings(
    ctx,
    path,
    { ...given, dataDir: dataLocationOf({ ...given, env }).dataDir },
    allowPrograms,
  );
  const options = { ...given, env, archive: path, replace, programs, dryRun, now: ctx.now(), signal: ctx.signal };
  const done = await withProgress(ctx, (onProgress) => restore({ ...options, onProgress }));
  const text = dryRun
    ? `${path} of ${done.createdAt} is valid: ${plural(done.files, "file")}, ${bytes(done.bytes)}. Nothing was changed.`
    : resultText(done);
  return ctx.text(`${locationText(done.location)}\n${text}`, { result: done });
}

const procedure =
  "The archive is copied into the data directory and verified, including the ledger, before any data is replaced. If anything fails, " +
  "nothing changes. API keys remain valid. Settings that make the server run programs are restored only if the server had them before, or " +
  "after a confirmation; a warning names all other settings that change. With --dry-run, only verifies the archive.";

export const restoreCommand = define({
  name: "restore",
  summary: "Restore a server from a backup",
  description: `Stop the server first. ${procedure} The previous data is kept in the directory as \`replaced-…\`. An existing PostgreSQL database is never replaced: pass a new one.`,
  risk: "destroy",
  args: { archive },
  flags,
  confirm: ({ args, flags: given }) => `Replace ${given.data ?? "the server's data"} with ${args.archive}?`,
  examples: [
    "playtest serve restore /var/backups/playtest/playtest-20260301T030000Z --data /srv/playtest",
    "playtest serve restore backup.tar --data /srv/playtest --yes",
    "playtest serve restore backup.tar --dry-run",
  ],
  run: ({ args, flags: given }, ctx) => takeArchive(ctx, args.archive, given, true),
});

export const importCommand = define({
  name: "import",
  summary: "Import an export into a new server",
  description: `The data directory must not contain a server, and the database must be empty. ${procedure}`,
  risk: "local",
  args: { archive },
  flags,
  examples: [
    "playtest serve import export.tar --data /srv/new",
    "playtest serve import export.tar --data /srv/new --database-url postgres://localhost/playtest",
  ],
  exits: [6],
  run: ({ args, flags: given }, ctx) => takeArchive(ctx, args.archive, given, false),
});
