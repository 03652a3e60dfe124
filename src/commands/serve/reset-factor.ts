import { arg, define } from "../../cli/define.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { plural } from "../../io/text.ts";
import { withSettings } from "./location-flags.ts";
import { locationText } from "./location-text.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";

export const resetFactor = define({
  name: "reset-factor",
  summary: "Remove the second factor of an account, on the server's own machine",
  description:
    "For the last administrator who lost the second factor; for anybody else use `playtest admin users reset-factor`. Removes the authenticator app, " +
    "the recovery codes and the passkeys, signs the account out of every browser, writes an audit entry and sends an email to the owner. " +
    "API keys and the password remain valid. With SQLite, stop the server first.",
  risk: "destroy",
  args: { account: arg.text("Email address or id of the account") },
  flags: withSettings,
  confirm: ({ args }) => `Remove the second factor of ${args.account}? Signing in then takes no code any more.`,
  examples: [
    "playtest serve reset-factor admin@playtest.invalid --data /srv/playtest",
    "playtest serve reset-factor ada@example.com --database-url postgres://localhost/playtest --yes",
  ],
  async run({ args, flags }, ctx) {
    refuseDryRun(ctx);
    const { resetFactorHere } = await import("../../../server/app/reset-factor.ts");
    const options = { ...flags, account: args.account, env: serverEnv(ctx), now: ctx.now };
    const done = await resetFactorHere(options).catch((error: unknown) => Promise.reject(refused(error)));
    const ended = done.sessionsEnded === 0 ? "No browser was signed in." : `${plural(done.sessionsEnded, "browser")} signed out.`;
    const text = `Removed the second factor of ${done.email}. ${ended} Set up a new one: \`playtest auth factor enable\`.`;
    return ctx.text(`${locationText(done.location)}\n${text}`, { result: done });
  },
});
