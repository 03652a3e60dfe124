import type { Backup } from "../../../../server/operations/archive/backup.ts";
import { arg, type Context, define, flag, type Outcome } from "../../../cli/define.ts";
import { version } from "../../../cli/version.ts";
import { failure, PipeClosed, partlyDone, usage } from "../../../errors.ts";
import { bytes, plural } from "../../../io/text.ts";
import { withSettings } from "../location-flags.ts";
import { locationText } from "../location-text.ts";
import { serverEnv } from "../server-env.ts";
import { withProgress } from "../with-progress.ts";

const keep = flag.text("Then remove older ones: 7d,4w,12m keeps the newest of so many days, weeks and months; 14 the newest 14", {
  value: "RULE",
});
const force = flag.toggle("Replace an existing file");

interface Given {
  data: string | undefined;
  config: string | undefined;
  databaseUrl: string | undefined;
  force: boolean;
  keep: string | undefined;
}

function resultText(made: Backup, dryRun: boolean): string {
  const { file, bytes: size, files, inBucket = 0, newFiles, newBytes = 0, unshared, missing, removed } = made;
  const named =
    inBucket > 0 ? ` ${plural(inBucket, "file")} stay in the bucket: the archive has their names, sizes and hashes.` : "";
  const lost = missing.length > 0 ? ` Not included, because missing on the server: ${missing.join(", ")}.` : "";
  const added = newFiles === undefined ? "" : ` New since the last backup here: ${plural(newFiles, "file")}, ${bytes(newBytes)}.`;
  if (dryRun)
    return `Would write ${file}: ${plural(files, "upload")}, about ${bytes(size)} with the database.${added}${named}${lost}`;
  const copied =
    unshared === undefined ? "" : ` Older files were copied too, because they cannot have a second name there: ${unshared}.`;
  const cleanup = removed.length > 0 ? ` Removed ${removed.join(", ")}.` : "";
  return `Wrote and verified ${file}: ${plural(files, "file")}, ${bytes(size)}.${added}${copied}${named}${lost}${cleanup}\nIt contains the instance key and all user data. Store it where only you can read it.`;
}

async function write(ctx: Context, path: string, from: Given, portable: boolean): Promise<Outcome | undefined> {
  const { backup } = await import("../../../../server/operations/archive/backup.ts");
  const streamed = path === "-";
  if (streamed) requireStream(ctx);
  const dryRun = ctx.flags.dryRun === true;
  const output = { writeFile: (piece: Uint8Array) => unlessStopped(ctx.signal, ctx.out.raw(piece)), sync: async () => {} };
  const options = { ...from, env: serverEnv(ctx), target: path, output, portable, dryRun, version, now: ctx.now() };
  const made = await withProgress(ctx, (onProgress) => backup({ ...options, onProgress })).catch(cutOff);
  const text = `${locationText(made.location)}\n${resultText(made, dryRun)}`;
  const incomplete = made.missing.length === 0 ? undefined : lost(made.missing);
  if (!streamed || dryRun) return { ...ctx.text(text, { result: made }), failure: incomplete };
  ctx.out.note(text);
  if (incomplete) throw incomplete;
  return undefined;
}

/** A reader that stops reading and does not close the pipe would keep a signal from ending the command, and from what it removes. */
const unlessStopped = (signal: AbortSignal, writing: Promise<void>) =>
  new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    writing.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });

/** Elsewhere a reader that closes the pipe has read enough. */
function cutOff(error: unknown): never {
  if (!(error instanceof PipeClosed)) throw error;
  throw failure("Standard output was closed before the archive was complete. What was read cannot be used.", undefined, error);
}

const lost = ({ length }: readonly string[]) =>
  partlyDone(
    `${plural(length, "file")} in the database ${length === 1 ? "is" : "are"} missing on the server.`,
    "An older backup may still contain them.",
  );

/** Nothing else may get between the bytes of the archive. */
function requireStream(ctx: Context): void {
  if (ctx.out.format.kind !== "auto")
    throw usage(
      "With `-`, standard output is the archive and has no other format. Nothing was written.",
      "Leave out the flag, or pass a directory or file name.",
    );
  if (ctx.io.terminal.stdout && ctx.flags.output === undefined)
    throw usage("Standard output is a terminal. Nothing was written.", "Pipe the archive to a program or redirect it to a file.");
}

const contents =
  "The server may be running. The copy contains everything committed before the command started: the database, videos, builds, " +
  "transcripts, unsent emails, config.json and the instance key. Unfinished uploads are not included. What is written is private " +
  "and appears under its name only after it is verified, including the ledger. If the server's database or key is set in its " +
  "environment, run the command in the same environment; if its configuration file is elsewhere, name it with --config.";

export const backup = define({
  name: "backup",
  summary: "Back up a server to a folder, a file or standard output",
  description: `${contents} In a directory, each backup is a directory of its own, named by the time, that shares the files it has in common with the last one (hard links), so that it takes the space of what is new. A file is a tar archive. Either can be served: copy the directory, or unpack the archive into an empty one. A PostgreSQL database is stored as rows, as in \`serve export\`.`,
  risk: "local",
  args: {
    target: arg.text("Directory of the backups, file to create, such as backup.tar, or - for a tar archive on standard output"),
  },
  flags: { ...withSettings, keep, force },
  examples: [
    "playtest serve backup /var/backups/playtest --keep 7d,4w,12m --data /srv/playtest",
    "playtest serve backup before-upgrade.tar --data /srv/playtest",
    "playtest serve backup /mnt/nas/playtest.tar --force --json",
    "playtest serve backup - --data /srv/playtest | ssh nas 'cat > playtest.tar'",
  ],
  exits: [6, 11],
  run: ({ args, flags: given }, ctx) => write(ctx, args.target, given, false),
});

export const exportCommand = define({
  name: "export",
  summary: "Export a server to one file that works with either database",
  description: `${contents} The database is stored as JSON lines, which \`serve import\` can load into SQLite or PostgreSQL.`,
  risk: "local",
  args: {
    target: arg.text(
      "File to create, such as export.tar, a directory in which to create a file named by the time, or - for standard output",
    ),
  },
  flags: { ...withSettings, keep, force },
  examples: [
    "playtest serve export export.tar --data /srv/playtest",
    "playtest serve export export.tar --data /srv/playtest --database-url postgres://localhost/playtest",
  ],
  exits: [6, 11],
  run: ({ args, flags: given }, ctx) => write(ctx, args.target, given, true),
});
