import { arg, define } from "../../cli/define.ts";
import { pages } from "../../contract/pages/addresses.ts";
import { DryRun, failure, notFound } from "../../errors.ts";
import { shellShown } from "../../io/text.ts";
import { findMail } from "./mail.ts";

const page = pages.verifyEmail();

export const verify = define({
  name: "verify",
  summary: "Verify an email address with the link in its newest verification mail",
  description: "Accounts of a sandbox are verified at once, unless it was started with --no-auto-verify.",
  operation: ["listOutbox", "getMe"],
  risk: "write",
  args: { email: arg.optional("Email address (default: that of your account)") },
  examples: ["playtest sandbox verify", "playtest sandbox verify ada@example.com"],
  async run({ args }, ctx) {
    const email = args.email ?? (await ctx.api().getMe({})).email;
    const link = (text: string) => new RegExp(`${page}\\?token=([\\w-]+)`).exec(text)?.[1];
    const mail = await findMail(ctx, ({ to, text }) => to.toLowerCase() === email.toLowerCase() && link(text) !== undefined);
    const again = `If the account is not verified: \`playtest auth resend-verification --email ${shellShown(email)}\`.`;
    if (!mail) throw notFound(`No verification mail was sent to ${email}.`, again);
    const body = `token=${link(mail.text)}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    if (ctx.flags.dryRun) throw new DryRun([{ method: "POST", path: page, headers }]);
    const reply = await ctx.send({ method: "POST", url: new URL(page, ctx.api().base), headers, body });
    if (reply.status !== 200)
      throw failure(`The link in the newest verification mail to ${email} no longer works: it was used or has expired.`, again);
    return ctx.text(`${email} is verified.`, { result: { email, emailVerified: true } });
  },
});
