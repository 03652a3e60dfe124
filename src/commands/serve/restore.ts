import type { Restored } from "../../../server/operations/archive/restore.ts";
import { arg, type Context, define, type Outcome } from "../../cli/define.ts";
import { bytes, plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { withProgress } from "./with-progress.ts";

const archive = arg.text("File that `serve backup` or `serve export` made");
interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
}

function sentence({ archive: from, createdAt, dataDir, database, files, bytes: size, replaced, missing }: Restored): string {
  const lines = [
    `${from} of ${createdAt} is in ${dataDir}${database === "postgres" ? " and the PostgreSQL database" : ""}: ${plural(files, "file")}, ${bytes(size)}, checked.`,
  ];
  if (missing.length > 0) lines.push(`The server had lost already: ${missing.join(", ")}.`);
  if (replaced !== null) lines.push(`What was there before is in ${replaced}: remove it when all is well.`);
  return lines.join("\n");
}

async function put(ctx: Context, path: string, given: Given, replace: boolean): Promise<Outcome> {
  const { restore } = await import("../../../server/operations/archive/restore.ts");
  const dryRun = ctx.flags.dryRun === true;
  const options = { ...given, env: { ...ctx.io.env }, archive: path, replace, dryRun, now: ctx.now(), signal: ctx.signal };
  const done = await withProgress(ctx, (onProgress) => restore({ ...options, onProgress }));
  const text = dryRun
    ? `${path} of ${done.createdAt} is whole: ${plural(done.files, "file")}, ${bytes(done.bytes)}. Nothing was changed.`
    : sentence(done);
  return ctx.text(`${locationText(done.location)}\n${text}`, { result: done });
}

const how =
  "The archive is unpacked in the data folder, and checked there, books and all, before anything is moved; whatever fails, all is as it was. " +
  "The same API keys work afterwards. With --dry-run it only checks the archive.";

export const restoreCommand = define({
  name: "restore",
  summary: "Put a backup in the place of a server's data",
  description: `Stop the server first. ${how} What was in the folder is kept in it as \`replaced-…\`. A PostgreSQL database is never replaced: name a new one.`,
  risk: "destroy",
  args: { archive },
  flags: location,
  confirm: ({ args, flags }) => `Put ${args.archive} in the place of ${flags.data ?? "the server's data"}?`,
  examples: [
    "playtest serve restore /var/backups/playtest/playtest-20260301T030000Z.tar --data /srv/playtest",
    "playtest serve restore backup.tar --data /srv/playtest --yes",
    "playtest serve restore backup.tar --dry-run",
  ],
  run: ({ args, flags }, ctx) => put(ctx, args.archive, flags, true),
});

export const importCommand = define({
  name: "import",
  summary: "Make a new server of an export, on either database",
  description: `Only into a data folder without a server and an empty database. ${how}`,
  risk: "local",
  args: { archive },
  flags: location,
  examples: [
    "playtest serve import house.tar --data /srv/new",
    "playtest serve import house.tar --data /srv/new --database-url postgres://localhost/playtest",
  ],
  exits: [6],
  run: ({ args, flags }, ctx) => put(ctx, args.archive, flags, false),
});
