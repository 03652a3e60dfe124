import { define } from "../../cli/define.ts";
import { emailOf } from "./account.ts";

export const resendVerification = define({
  name: "resend-verification",
  summary: "Send the verification mail again",
  description: "Nothing is sent to an address that is already verified.",
  operation: ["resendVerification", "getMe"],
  body: "resendVerification",
  partialBody: true,
  examples: ["playtest auth resend-verification", "playtest auth resend-verification --email ada@example.com"],
  async run({ body }, ctx) {
    const data = await ctx.api().resendVerification({ body: { email: await emailOf(ctx, body.email) } });
    return ctx.message(data);
  },
});
