import { isAbsolute } from "node:path";
import * as z from "zod";
import { day, described, hour, matching, ms, orNull } from "./fields.ts";
import { keepForm, parseKeep } from "./keep-rule.ts";

/** The settings of what a server does for its operator: the backups that it makes by itself, and metrics. */
export const backup = z.strictObject({
  to: orNull(
    matching((text) => isAbsolute(text)),
    "Folder in which the server makes a backup of itself at intervals. It must exist: name a folder on the disk, not the mount point, so that a disk that is not mounted is noticed. `--backup-to` sets it for one run. Null: the server makes none.",
    { expected: "an absolute path, or null" },
  ),
  everyMs: ms("How often a backup is made. `--backup-every` sets it for one run.", day, hour, 31 * day),
  keep: described(
    matching((text) => parseKeep(text) !== undefined).default("7d,4w,12m"),
    "Which backups are kept when another one was made; always the newest. `--backup-keep` sets it for one run.",
    { expected: keepForm },
  ),
});

/** A header takes no other characters from every client, and ends at spaces. */
const isBearerToken = (text: string) => /^[!-~]{16,}$/.test(text);

export const metrics = z.strictObject({
  token: orNull(
    matching(isBearerToken),
    "GET /metrics answers who sends this as a Bearer token. Null: not on the port of the API.",
    {
      variable: "PLAYTEST_METRICS_TOKEN",
      secret: true,
      expected: "at least 16 visible ASCII characters, or null",
    },
  ),
  port: described(
    z.nullable(z.int().check(z.gte(1), z.lte(65_535))).default(null),
    "A port that answers GET /metrics only, with the token if there is one, else to everybody who reaches it. Null: none.",
  ),
  host: described(z.string().min(1).default("127.0.0.1"), "The address of that port.", {
    expected: "an address of this machine",
  }),
});
