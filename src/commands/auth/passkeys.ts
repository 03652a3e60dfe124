import { arg, define, flag, type ItemOf, viewOf } from "../../cli/define.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";

const view = viewOf<ItemOf<"listPasskeys">>(["id", "name", "last used:lastUsedAt", "added:createdAt", "blocked:blockedAt"], {
  empty: "The account has no passkeys.",
});

const passkeysList = define({
  name: "passkeys list",
  summary: "List your passkeys",
  description:
    "Playtesters add passkeys on the account page of the portal, game owners on the page Passkeys of Studio, and sign in there with them.",
  operation: "listPasskeys",
  examples: ["playtest auth passkeys list"],
  rows: "passkeys",
  view,
});

const passkeysRemove = define({
  name: "passkeys remove",
  summary: "Remove a passkey",
  operation: ["removePasskey", "listPasskeys", "getFactor"],
  args: { passkey: arg.id("Passkey id or name", "listPasskeys") },
  flags: {
    passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE", field: "password" }),
    code: codeFlag,
  },
  confirm: ({ args }) => `Remove the passkey ${args.passkey}? Nobody can sign in with it after that.`,
  examples: ["playtest auth passkeys remove 4f6a1b2c --yes --password-file -"],
  async run({ args, flags }, ctx) {
    const { hasPassword } = await ctx.api().getFactor({});
    const password = hasPassword ? await readSecret(ctx, flags.passwordFile, "--password-file", "Current password:") : undefined;
    const data = await withCodeIfNeeded(ctx, flags.code, (code) =>
      ctx.api().removePasskey({ params: { id: args.passkey }, body: { password, code } }),
    );
    return ctx.message(data);
  },
});

export const passkeysCommands = [passkeysList, passkeysRemove];
