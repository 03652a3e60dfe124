import type { Backup } from "../../../server/operations/archive/backup.ts";
import { arg, type Context, define, flag, type Outcome } from "../../cli/define.ts";
import { version } from "../../cli/version.ts";
import { partlyDone } from "../../errors.ts";
import { bytes, plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { serverEnv } from "./server-env.ts";
import { withProgress } from "./with-progress.ts";

const target = arg.text("File to create, such as backup.tar, or a directory in which to create a file named by the time");
const flags = {
  ...location,
  force: flag.toggle("Replace an existing file"),
  keep: flag.integer("Keep only this many files in the directory and remove older ones; creates the directory", {
    min: 1,
    max: 10_000,
  }),
};
interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
  force: boolean | undefined;
  keep: number | undefined;
}

function resultText({ file, bytes: size, files, inBucket = 0, missing, removed }: Backup, dryRun: boolean): string {
  const named =
    inBucket > 0 ? ` ${plural(inBucket, "file")} stay in the bucket: the archive has their names, sizes and hashes.` : "";
  const lost = missing.length > 0 ? ` Not included, because missing on the server: ${missing.join(", ")}.` : "";
  if (dryRun) return `Would write ${file}: ${plural(files, "upload")}, about ${bytes(size)} with the database.${named}${lost}`;
  const cleanup = removed.length > 0 ? ` Removed ${removed.join(", ")}.` : "";
  return `Wrote and verified ${file}: ${plural(files, "file")}, ${bytes(size)}.${named}${lost}${cleanup}\nIt contains the instance key and all user data. Store it where only you can read it.`;
}

async function write(ctx: Context, path: string, { force = false, ...from }: Given, portable: boolean): Promise<Outcome> {
  const { backup } = await import("../../../server/operations/archive/backup.ts");
  const dryRun = ctx.flags.dryRun === true;
  const options = { ...from, env: serverEnv(ctx), target: path, portable, force, dryRun, version, now: ctx.now() };
  const made = await withProgress(ctx, (onProgress) => backup({ ...options, onProgress }));
  const outcome = ctx.text(`${locationText(made.location)}\n${resultText(made, dryRun)}`, { result: made });
  if (made.missing.length === 0) return outcome;
  const hint = "An older backup may still contain them.";
  return {
    ...outcome,
    failure: partlyDone(
      `${plural(made.missing.length, "file")} in the database ${made.missing.length === 1 ? "is" : "are"} missing on the server.`,
      hint,
    ),
  };
}

const contents =
  "The server may be running. The copy contains everything committed before the command started: the database, videos, builds, " +
  "transcripts, unsent emails, config.json and the instance key. Unfinished uploads are not included. The file is private (mode 0600) " +
  "and appears under its name only after it is verified, including the ledger. If the server's database or key is set in its " +
  "environment, run the command in the same environment.";

export const backup = define({
  name: "backup",
  summary: "Back up a server to one file",
  description: `${contents} The file is a tar archive that, unpacked into an empty directory, can be served directly. A PostgreSQL database is stored as rows, as in \`serve export\`.`,
  risk: "local",
  args: { target },
  flags,
  examples: [
    "playtest serve backup /var/backups/playtest --keep 14 --data /srv/playtest",
    "playtest serve backup before-upgrade.tar --data /srv/playtest",
    "playtest serve backup /mnt/nas/playtest.tar --force --json",
  ],
  exits: [6, 11],
  run: ({ args, flags: given }, ctx) => write(ctx, args.target, given, false),
});

export const exportCommand = define({
  name: "export",
  summary: "Export a server to one file that works with either database",
  description: `${contents} The database is stored as JSON lines, which \`serve import\` can load into SQLite or PostgreSQL.`,
  risk: "local",
  args: { target },
  flags,
  examples: [
    "playtest serve export export.tar --data /srv/playtest",
    "playtest serve export export.tar --data /srv/playtest --database-url postgres://localhost/playtest",
  ],
  exits: [6, 11],
  run: ({ args, flags: given }, ctx) => write(ctx, args.target, given, true),
});
