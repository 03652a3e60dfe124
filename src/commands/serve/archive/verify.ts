import { arg, define, flag } from "../../../cli/define.ts";
import { failure } from "../../../errors.ts";
import { bytes, plural } from "../../../io/text.ts";
import { config } from "../location-flags.ts";
import { serverEnv } from "../server-env.ts";
import { withProgress } from "../with-progress.ts";
import { withArchive } from "./input.ts";

export const backupVerify = define({
  name: "backup verify",
  summary: "Restore a backup into a temporary directory and check it",
  description:
    "Restores the backup as `serve restore` does, runs the checks of `serve doctor --ledger` on the result, and removes it. Your server is not " +
    "touched and may be running. Takes as much disk space as the backup. Exits with 1 if a check fails.",
  risk: "local",
  args: {
    archive: arg.text("Backup or export, a directory of backups, of which the newest is taken, or - for standard input"),
  },
  flags: {
    config,
    temp: flag.text("Directory in which to restore (default: that of the system for temporary files)", { value: "DIR" }),
  },
  examples: ["playtest serve backup verify /var/backups/playtest", "playtest serve backup verify backup.tar --temp /mnt/scratch"],
  async run({ args: { archive }, flags: { temp, ...given } }, ctx) {
    const { verifyBackup } = await import("../../../../server/operations/archive/verify.ts");
    const options = { ...given, folder: temp, env: serverEnv(ctx), now: ctx.now(), signal: ctx.signal };
    const { restored, checks } = await withArchive(ctx, archive, temp, (path) =>
      withProgress(ctx, (onProgress) => verifyBackup({ ...options, path, onProgress })),
    );
    const failed = checks.filter(({ ok }) => !ok);
    const { archive: file, createdAt, files, bytes: size, missing } = restored;
    const what = `${file} of ${createdAt} was restored: ${plural(files, "file")}, ${bytes(size)}.`;
    const lost = missing.length > 0 ? ` Already missing on the original server: ${missing.join(", ")}.` : "";
    const outcome = ctx.text(`${what}${lost} ${plural(checks.length - failed.length, "check")} passed.`, {
      result: { archive: file, createdAt, files, bytes: size, missing, checks },
    });
    if (failed.length === 0) return outcome;
    const details = failed.map(({ name, detail }) => `${name}: ${detail}`).join("\n");
    return { ...outcome, failure: failure(`${plural(failed.length, "check")} of the restored server failed.`, details) };
  },
});
