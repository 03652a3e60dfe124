import { col, define, detail, prose, type View } from "../../cli/define.ts";
import { CliError, type ExitCode, exitCodes } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { accountChecks } from "./doctor-account.ts";
import { networkChecks } from "./doctor-network.ts";
import { settingChecks } from "./doctor-settings.ts";

/** One line of the doctor's. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  detail: string;
  /** What to do about it; null where nothing is to be done. */
  fix: string | null;
  /** How the doctor ends when this failed. */
  exitCode: ExitCode;
}

export const ok = (name: string, text: string): Check => ({ name, state: "ok", detail: text, fix: null, exitCode: exitCodes.ok });
export const warn = (name: string, text: string, fix: string): Check => ({ ...ok(name, text), state: "warn", fix });
export const fail = (name: string, text: string, fix: string, exitCode: ExitCode): Check => ({
  ...warn(name, text, fix),
  state: "fail",
  exitCode,
});

/** What an error says, as a failed line. */
export function failed(name: string, error: unknown): Check {
  if (!(error instanceof CliError)) throw error;
  return fail(name, error.message, error.extra.hint ?? "", error.exitCode);
}

const view: View = {
  columns: [
    col("check", "name"),
    col("result", "state", "status"),
    prose("detail", "detail"),
    prose("what to do", "fix"),
    detail("exit code", "exitCode"),
  ],
};

export const doctor = define({
  name: "doctor",
  summary: "Check everything between you and the server: settings, proxy, TLS, clock, key",
  description:
    "One line a check: ok, warn or fail, with what to do. Ends with the exit code of the first failure: 2 settings, 10 not reachable,\n" +
    "4 key, 5 scope. Sends nothing but what `auth status` would, and prints no secret.",
  operation: ["getServerInfo", "getMe", "listGames", "getBalance", "getUnreadCount", "listNotifications", "listWebhooks"],
  risk: "read",
  examples: ["playtest doctor", "playtest doctor --json", "playtest doctor --jq '.result[] | select(.state != \"ok\")'"],
  async run(_, ctx) {
    const checks = settingChecks(ctx);
    const network = await networkChecks(ctx);
    checks.push(...network);
    if (network.every(({ state }) => state !== "fail")) checks.push(...(await accountChecks(ctx)));
    const bad = checks.filter(({ state }) => state === "fail");
    const outcome = ctx.rows("checks", checks, view);
    if (bad.length === 0) return outcome;
    const message = `${plural(bad.length, "check")} failed: ${bad.map(({ name }) => name).join(", ")}.`;
    return { ...outcome, failure: new CliError("DOCTOR", bad[0]!.exitCode, message, { hint: bad[0]!.fix ?? undefined }) };
  },
});
