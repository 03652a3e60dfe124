import { type Context, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";
import { emailOf, forgetIfDead } from "./account.ts";

const newPasswordFile = flag.text("Read the new password from a file; - reads standard input", {
  value: "FILE",
  field: "newPassword",
});

/** A new password, from a file or typed twice. */
async function readNewPassword(ctx: Context, file: string | undefined): Promise<string> {
  const flagName = "--new-password-file";
  const password = await readSecret(ctx, file, flagName, "New password (at least 8 characters):");
  if (file !== undefined || (await readSecret(ctx, undefined, flagName, "New password again:")) === password) return password;
  throw usage("The two passwords differ. Nothing was changed.", "Run the command again.");
}

const password = define({
  name: "password",
  summary: "Change your password",
  description: "Asks for the current password and the new one, or reads them from files. API keys remain valid.",
  operation: "changePassword",
  flags: {
    currentPasswordFile: flag.text("Read the current password from a file; - reads standard input", {
      value: "FILE",
      field: "currentPassword",
    }),
    newPasswordFile,
    code: codeFlag,
  },
  examples: ["playtest auth password", "playtest auth password --current-password-file old.txt --new-password-file new.txt"],
  async run({ flags }, ctx) {
    const current = ["--current-password-file", flags.currentPasswordFile] as const;
    const currentPassword = await readSecret(ctx, current[1], current[0], "Current password:");
    const newPassword = await readNewPassword(ctx, flags.newPasswordFile);
    const data = await withCodeIfNeeded(ctx, flags.code, (code) =>
      ctx.api().changePassword({ body: { currentPassword, newPassword, code } }),
    );
    return ctx.message(data);
  },
});

const passwordReset = define({
  name: "password reset",
  summary: "Send a mail with which you can set a new password",
  description: "For a password that you forgot. The mail has a link, and a token for `playtest auth password confirm`.",
  operation: ["requestPasswordReset", "getMe"],
  body: "requestPasswordReset",
  partialBody: true,
  examples: ["playtest auth password reset --email ada@example.com"],
  async run({ body }, ctx) {
    const data = await ctx.api().requestPasswordReset({ body: { email: await emailOf(ctx, body.email) } });
    return ctx.message(data);
  },
});

const passwordConfirm = define({
  name: "password confirm",
  summary: "Set a new password with the token of a reset mail",
  description:
    "Without an authenticator app the former password was enough to add a passkey, so the passkeys of such an account are removed.",
  operation: "confirmPasswordReset",
  flags: {
    tokenFile: flag.text("Read the token from a file; - reads standard input", { value: "FILE", field: "token" }),
    newPasswordFile,
    revokeApiKeys: flag.toggle("Also revoke all API keys of the account", { field: "revokeApiKeys" }),
    keepPasskeys: flag.toggle("Keep the passkeys of an account without an authenticator app", { field: "removePasskeys" }),
  },
  examples: ["playtest auth password confirm", "playtest auth password confirm --token-file token.txt --new-password-file -"],
  async run({ flags }, ctx) {
    const token = (await readSecret(ctx, flags.tokenFile, "--token-file", "Token from the mail:")).trim();
    const newPassword = await readNewPassword(ctx, flags.newPasswordFile);
    const data = await ctx.api().confirmPasswordReset({
      body: { token, newPassword, revokeApiKeys: flags.revokeApiKeys, ...(flags.keepPasskeys && { removePasskeys: false }) },
    });
    return ctx.message(data, await forgetIfDead(ctx));
  },
});

export const passwordCommands = [password, passwordReset, passwordConfirm];
