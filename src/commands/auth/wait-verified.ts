import { stillPending } from "../../errors.ts";
import { define, flag } from "../define.ts";

const pollMs = 3_000;

export const waitVerified = define({
  name: "wait-verified",
  summary: "Wait until the e-mail address is verified",
  operation: "getMe",
  flags: { for: flag.duration("How long to wait; default 10m") },
  examples: ["playtest auth wait-verified --for 5m"],
  exits: [8],
  async run({ flags }, ctx) {
    const until = ctx.now() + (flags.for ?? 600) * 1000;
    const progress = await ctx.progress();
    for (;;) {
      const me = await ctx.api().getMe({});
      if (me.emailVerified) {
        progress.done();
        return ctx.text(`${me.email} is verified.`, { result: { email: me.email, emailVerified: true } });
      }
      if (ctx.now() + pollMs > until) {
        progress.done();
        throw stillPending(
          `${me.email} is not verified yet.`,
          "Open the link in the mail, or have it sent again: `playtest api POST auth/resend-verification -f email=…`.",
        );
      }
      progress.update(`Waiting for the link in the mail to ${me.email} to be opened`);
      await ctx.sleep(pollMs, ctx.signal);
    }
  },
});
