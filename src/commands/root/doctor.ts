import { define, detail, prose, viewOf } from "../../cli/define.ts";
import { CliError } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { accountChecks } from "./doctor-account.ts";
import type { Check } from "./doctor-check.ts";
import { networkChecks } from "./doctor-network.ts";
import { settingChecks } from "./doctor-settings.ts";

const view = viewOf<Check>([
  "check:name",
  "result:state",
  prose("detail"),
  prose("how to fix:fix"),
  detail("exit code:exitCode"),
]);

export const doctor = define({
  name: "doctor",
  summary: "Diagnose problems with settings, proxy, TLS, clock and API key",
  description:
    "Prints one line per check: ok, warn or fail, and how to fix it. Exits with the code of the first failure: 2 for settings, 10 if the " +
    "server is unreachable, 4 for the key, 5 for its scopes. Changes nothing and prints no secrets.",
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
