import { col, define, flag, prose, type View } from "../../cli/define.ts";
import { failure } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { location } from "./location-flags.ts";
import { refused } from "./refused.ts";

const view: View = {
  columns: [col("check", "name"), col("result", ({ ok }) => (ok ? "ok" : "failed"), "status"), prose("detail", "detail")],
};

export const doctor = define({
  name: "doctor",
  summary: "Check a server's database and files, running or not",
  description:
    "Prints one line per check and ends with 1 when something is wrong, saying what that means and what to do. --ledger adds the ten invariants of the books.",
  risk: "local",
  args: {},
  flags: {
    ...location,
    ledger: flag.toggle("Check the books too; reads every posting"),
    fix: flag.toggle(
      "Repair kept balances and file modes, queue jobs anew that were given up; no server may be running on a SQLite file",
    ),
  },
  examples: [
    "playtest serve doctor --ledger",
    "playtest serve doctor --data /var/lib/playtest --fix",
    "playtest serve doctor --json",
  ],
  async run({ flags }, ctx) {
    const server = await import("../../../server/operations/doctor.ts");
    const options = { ...flags, env: { ...ctx.io.env }, now: ctx.now() };
    const checks = await server.doctor(options).catch((error: unknown) => Promise.reject(refused(error)));
    const failed = checks.filter(({ ok }) => !ok);
    const outcome = ctx.rows("checks", checks, view);
    if (failed.length === 0) return outcome;
    const names = failed.map(({ name }) => name).join(", ");
    const help = failed.flatMap((check) => (check.help === undefined ? [] : [`${check.name}: ${check.help}`]));
    return { ...outcome, failure: failure(`${plural(failed.length, "check")} failed: ${names}.`, help.join("\n") || undefined) };
  },
});
