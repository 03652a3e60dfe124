import type { Check } from "../../../server/database/port.ts";
import { col, define, flag, prose, viewOf } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { isEmailAddress, withAsciiDomain } from "../../contract/text/email-address.ts";
import { failure, usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { withSettings } from "./location-flags.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";

const view = viewOf<Check>([
  "check:name",
  col("result", ({ ok, warning }) => (!ok ? "failed" : warning ? "warning" : "ok"), "status"),
  prose("detail"),
]);

export const doctor = define({
  name: "doctor",
  summary: "Check a server's database and files",
  description:
    "Prints one line per check. A warning says what may go wrong. Exits with 1 if a check fails, and explains the problem and how to fix it. The server may be running.",
  risk: "local",
  args: {},
  flags: {
    ...withSettings,
    ledger: flag.toggle("Also check the fourteen invariants of the ledger, which reads every posting"),
    fix: flag.toggle("Repair cached balances and file modes and requeue failed jobs; with SQLite, stop the server first"),
    mailTo: flag.text("Also send an email to this address, with the settings of the server", { value: "EMAIL" }),
  },
  examples: [
    "playtest serve doctor --ledger",
    "playtest serve doctor --data /var/lib/playtest --fix",
    "playtest serve doctor --mail-to ada@example.com",
    "playtest serve doctor --json",
  ],
  async run({ flags: { mailTo, ...flags } }, ctx) {
    const to = mailTo === undefined ? undefined : withAsciiDomain(mailTo);
    if (to !== undefined && !isEmailAddress(to))
      throw usage(`--mail-to takes an email address, not ${mailTo}.`, "Nothing was checked.");
    if (flags.fix || to !== undefined) refuseDryRun(ctx);
    const server = await import("../../../server/operations/doctor.ts");
    const now = ctx.now();
    const testMail = to === undefined ? undefined : { id: ctx.newId(), to, now };
    const options = { ...flags, testMail, env: serverEnv(ctx), now };
    const checks = await server.doctor(options).catch((error: unknown) => Promise.reject(refused(error)));
    const failed = checks.filter(({ ok }) => !ok);
    const outcome = ctx.rows("checks", checks, view);
    if (failed.length === 0) return outcome;
    const names = failed.map(({ name }) => name).join(", ");
    const help = failed.flatMap((check) => (check.help === undefined ? [] : [`${check.name}: ${check.help}`]));
    return { ...outcome, failure: failure(`${plural(failed.length, "check")} failed: ${names}.`, help.join("\n") || undefined) };
  },
});
