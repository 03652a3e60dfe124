import type { Backup } from "../../../server/operations/archive/backup.ts";
import { arg, type Context, define, flag, type Outcome } from "../../cli/define.ts";
import { version } from "../../cli/version.ts";
import { partlyDone } from "../../errors.ts";
import { bytes, plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { withProgress } from "./with-progress.ts";

const target = arg.text("File to make, as house.tar, or a folder to make one in that is named by the time");
const flags = {
  ...location,
  force: flag.toggle("Replace a file that is there"),
  keep: flag.integer("How many to leave in the folder, which is made; older ones made so are removed", { min: 1, max: 10_000 }),
};
interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
  force: boolean | undefined;
  keep: number | undefined;
}

function sentence({ file, bytes: size, files, missing, removed }: Backup, dryRun: boolean): string {
  const lost =
    missing.length > 0 ? ` Without ${plural(missing.length, "file")} that the server has lost: ${missing.join(", ")}.` : "";
  if (dryRun) return `Would write ${file}: ${plural(files, "upload")}, about ${bytes(size)} with the database.${lost}`;
  return `Wrote ${file}: ${plural(files, "file")}, ${bytes(size)}, checked.${lost}${removed.length > 0 ? ` Removed ${removed.join(", ")}.` : ""}\nIt holds the instance key and everybody's data: keep it where only you can read it.`;
}

async function write(ctx: Context, path: string, { force = false, ...from }: Given, portable: boolean): Promise<Outcome> {
  const { backup } = await import("../../../server/operations/archive/backup.ts");
  const dryRun = ctx.flags.dryRun === true;
  const options = { ...from, env: { ...ctx.io.env }, target: path, portable, force, dryRun, version, now: ctx.now() };
  const made = await withProgress(ctx, (onProgress) => backup({ ...options, onProgress }));
  const outcome = ctx.text(`${locationText(made.location)}\n${sentence(made, dryRun)}`, { result: made });
  if (made.missing.length === 0) return outcome;
  const hint = "What is left of them may be in an older backup.";
  return {
    ...outcome,
    failure: partlyDone(`The server has lost ${plural(made.missing.length, "file")} that its database tells of.`, hint),
  };
}

const whole =
  "A server may be running on it. All that was answered before the command began is in the copy: the database, videos, builds, transcripts, unsent mail, " +
  "config.json and the instance key; of unfinished uploads only that they began. The file is private (mode 0600), and gets its name only when the copy was checked, books and all. " +
  "Run it with the server's environment, if that holds its database or key.";

export const backup = define({
  name: "backup",
  summary: "Copy a whole server, running or not, into one file",
  description: `${whole} It is a tar archive: unpacked into an empty folder it can be served as it is. From PostgreSQL it takes rows, as \`serve export\` does.`,
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
  summary: "Copy a whole server into one file for either database",
  description: `${whole} The database is in it as lines of JSON, for SQLite and PostgreSQL alike: \`serve import\` makes a server of it.`,
  risk: "local",
  args: { target },
  flags,
  examples: [
    "playtest serve export house.tar --data /srv/playtest",
    "playtest serve export house.tar --data /srv/playtest --database-url postgres://localhost/playtest",
  ],
  exits: [6, 11],
  run: ({ args, flags: given }, ctx) => write(ctx, args.target, given, true),
});
