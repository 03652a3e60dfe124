import type { Restored } from "../../../server/operations/archive/restore.ts";
import { arg, type Context, define, type Outcome } from "../../cli/define.ts";
import { bytes, plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { withProgress } from "./with-progress.ts";

const archive = arg.text("File created by `serve backup` or `serve export`");
interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
}

function resultText({ archive: from, createdAt, dataDir, files, bytes: size, replaced, missing }: Restored): string {
  const lines = [`Restored ${from} of ${createdAt} to ${dataDir} and verified it: ${plural(files, "file")}, ${bytes(size)}.`];
  if (missing.length > 0) lines.push(`Already missing on the original server: ${missing.join(", ")}.`);
  if (replaced !== null) lines.push(`The previous data is in ${replaced}. Remove it when everything works.`);
  return lines.join("\n");
}

async function restoreArchive(ctx: Context, path: string, given: Given, replace: boolean): Promise<Outcome> {
  const { restore } = await import("../../../server/operations/archive/restore.ts");
  const dryRun = ctx.flags.dryRun === true;
  const options = { ...given, env: { ...ctx.io.env }, archive: path, replace, dryRun, now: ctx.now(), signal: ctx.signal };
  const done = await withProgress(ctx, (onProgress) => restore({ ...options, onProgress }));
  const text = dryRun
    ? `${path} of ${done.createdAt} is valid: ${plural(done.files, "file")}, ${bytes(done.bytes)}. Nothing was changed.`
    : resultText(done);
  return ctx.text(`${locationText(done.location)}\n${text}`, { result: done });
}

const procedure =
  "The archive is unpacked into the data directory and verified, including the ledger, before any data is replaced. If anything fails, " +
  "nothing changes. API keys remain valid. With --dry-run, only verifies the archive.";

export const restoreCommand = define({
  name: "restore",
  summary: "Restore a server from a backup",
  description: `Stop the server first. ${procedure} The previous data is kept in the directory as \`replaced-…\`. An existing PostgreSQL database is never replaced: pass a new one.`,
  risk: "destroy",
  args: { archive },
  flags: location,
  confirm: ({ args, flags }) => `Replace ${flags.data ?? "the server's data"} with ${args.archive}?`,
  examples: [
    "playtest serve restore /var/backups/playtest/playtest-20260301T030000Z.tar --data /srv/playtest",
    "playtest serve restore backup.tar --data /srv/playtest --yes",
    "playtest serve restore backup.tar --dry-run",
  ],
  run: ({ args, flags }, ctx) => restoreArchive(ctx, args.archive, flags, true),
});

export const importCommand = define({
  name: "import",
  summary: "Import an export into a new server",
  description: `The data directory must not contain a server, and the database must be empty. ${procedure}`,
  risk: "local",
  args: { archive },
  flags: location,
  examples: [
    "playtest serve import export.tar --data /srv/new",
    "playtest serve import export.tar --data /srv/new --database-url postgres://localhost/playtest",
  ],
  exits: [6],
  run: ({ args, flags }, ctx) => restoreArchive(ctx, args.archive, flags, false),
});
