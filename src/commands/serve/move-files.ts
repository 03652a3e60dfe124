import type { MovedBlobs } from "../../../server/operations/move-blobs.ts";
import { define, flag } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { usage } from "../../errors.ts";
import { bytes, plural } from "../../io/text.ts";
import { withSettings } from "./location-flags.ts";
import { serverEnv } from "./server-env.ts";
import { withProgress } from "./with-progress.ts";

function movedText({ from, to, files, bytes: size, there, used, removed }: MovedBlobs): string {
  const rest = there > 0 ? ` ${plural(there, "file")} were there already.` : "";
  const gone = removed > 0 ? ` Removed ${plural(removed, "file")} from ${from}.` : "";
  const next = to.startsWith("s3:")
    ? `Set blobs.address to this bucket and restart the server, then run the command again: it moves what arrived meanwhile and removes the files from ${from}.`
    : "Stop the server and run the command again, for what arrived meanwhile. Then remove blobs.address and start it.";
  return `Copied and verified ${plural(files, "file")} (${bytes(size)}) from ${from} to ${to}.${rest}${gone}${used ? "" : `\n${next}`}`;
}

export const moveFiles = define({
  name: "move-files",
  summary: "Move videos, builds and other files between the disk and a bucket",
  description:
    "Copies every file that is not there yet and checks it by its SHA-256. The server may be running, because stored files never change; a run that is interrupted goes on where it was. " +
    "To a bucket that the server already uses (blobs.address), the files are then removed from the disk. Otherwise nothing is removed.",
  risk: "local",
  args: {},
  flags: { ...withSettings, to: flag.text("The address of the bucket, or disk", { value: "ADDRESS" }) },
  examples: [
    "playtest serve move-files --to s3://playtest-files?region=eu-central-1 --data /var/lib/playtest",
    "playtest serve move-files --to disk --data /var/lib/playtest",
  ],
  async run({ flags: { to, ...given } }, ctx) {
    if (to === undefined) throw usage("--to is missing.", "Pass the address of a bucket, or disk.");
    refuseDryRun(ctx);
    const { moveBlobs } = await import("../../../server/operations/move-blobs.ts");
    const options = { ...given, to, env: serverEnv(ctx), now: ctx.now, signal: ctx.signal };
    const moved = await withProgress(ctx, (onProgress) => moveBlobs({ ...options, onProgress }));
    return ctx.text(movedText(moved), { result: moved });
  },
});
