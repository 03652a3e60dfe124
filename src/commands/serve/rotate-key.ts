import { randomBytes } from "node:crypto";
import { define } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";

export const rotateKey = define({
  name: "rotate-key",
  summary: "Replace the instance key and encrypt stored secrets again",
  description:
    "The server may be running, also as several processes on one PostgreSQL database. If the command is interrupted, run it again: it continues. " +
    "The new key is in instance.key in the data directory. Video links and list cursors given out before stop working.",
  risk: "destroy",
  args: {},
  flags: location,
  confirm: () => "Replace the instance key? Backups made before still need the old one, which they contain.",
  examples: [
    "playtest serve rotate-key --data /srv/playtest --yes",
    "playtest serve rotate-key --data /srv/playtest --database-url postgres://localhost/playtest",
  ],
  async run({ flags }, ctx) {
    refuseDryRun(ctx);
    const { rotateKey: rotate } = await import("../../../server/operations/keys/command.ts");
    const progress = await ctx.progress();
    const onProgress = (count: number) => {
      ctx.signal.throwIfAborted();
      progress.update(`Encrypted ${plural(count, "value")} again`);
    };
    const env = serverEnv(ctx);
    const sleep = (ms: number) => ctx.sleep(ms, ctx.signal);
    try {
      const done = await rotate({ ...flags, env, randomBytes, sleep, onProgress });
      const where = env.PLAYTEST_SECRET_KEY
        ? `Set PLAYTEST_SECRET_KEY to the key in ${done.keyFile}, or unset it, before a server starts again.`
        : `The new key is in ${done.keyFile}. Every other server of this database needs it at its next start.`;
      const count = done.resealed === null ? "" : ` ${plural(done.resealed, "stored value")} encrypted again.`;
      return ctx.text(`${locationText(done.location)}\nRotated the instance key.${count}\n${where}`, { result: done });
    } catch (error) {
      throw refused(error);
    } finally {
      progress.done();
    }
  },
});
