import { type Context, define, flag } from "../../cli/define.ts";
import { CliError, stillPending } from "../../errors.ts";
import { shellShown } from "../../io/text.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { whoIs } from "./account.ts";

const pollMs = 3_000;

/** Whether the account is verified; on an instance that does not say, whether its key works. */
async function verification(ctx: Context): Promise<{ email: string | null; emailVerified: boolean }> {
  try {
    const me = await whoIs(ctx.api());
    return { email: me?.email ?? null, emailVerified: me?.emailVerified ?? true };
  } catch (error) {
    if (error instanceof CliError && error.code === "EMAIL_NOT_VERIFIED") return { email: null, emailVerified: false };
    throw error;
  }
}

export const waitVerified = define({
  name: "wait-verified",
  summary: "Wait until the email address is verified",
  operation: "getMe",
  flags: { for: flag.duration("How long to wait (default 10m)") },
  examples: ["playtest auth wait-verified --for 5m"],
  exits: [8],
  async run({ flags }, ctx) {
    const until = ctx.now() + (flags.for ?? 600) * 1000;
    const progress = await ctx.progress();
    const check = withReconnect(ctx, () => verification(ctx));
    let email: string | null = null;
    for (;;) {
      const found = await check();
      if (found) email = found.email;
      if (found?.emailVerified) {
        progress.done();
        return ctx.text(`${email ?? "The account"} is verified.`, { result: found });
      }
      if (ctx.now() + pollMs > until) {
        progress.done();
        throw stillPending(
          `${email ?? "The account"} is not verified yet.`,
          `Open the link in the verification email, or ask the server's operator to run \`playtest admin users verify ${shellShown(email ?? "EMAIL")}\`. To send the email again: \`playtest auth resend-verification\`.`,
        );
      }
      progress.update(`Waiting for ${email ?? "the email address"} to be verified`);
      await ctx.sleep(pollMs, ctx.signal);
    }
  },
});
