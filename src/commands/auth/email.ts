import { define, flag } from "../../cli/define.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";

export const email = define({
  name: "email",
  summary: "Change the email address of your account",
  description:
    "Sends a link to the present and to the new address. The address changes when both links were opened within 24 hours. " +
    "The account of an administrator that has no address yet gets its first one: without a password if it has none, and with a link to the new address only.",
  operation: ["changeEmail", "getFactor"],
  body: "changeEmail",
  bodyOmit: ["password", "code"],
  partialBody: true,
  flags: {
    passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE", field: "password" }),
    code: codeFlag,
  },
  examples: [
    "playtest auth email --new-email ada@example.org",
    "playtest auth email --new-email ada@example.org --password-file -",
  ],
  async run({ body, flags }, ctx) {
    const newEmail = body.newEmail ?? (await ctx.prompt.text("New email address:", "Pass --new-email."));
    const { hasPassword } = await ctx.api().getFactor({});
    const isAsked = hasPassword || flags.passwordFile !== undefined;
    const password = isAsked ? await readSecret(ctx, flags.passwordFile, "--password-file", "Password:") : undefined;
    const data = await withCodeIfNeeded(ctx, flags.code, (code) => ctx.api().changeEmail({ body: { newEmail, password, code } }));
    return ctx.message(data);
  },
});
