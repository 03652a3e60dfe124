import { type Context, define, flag } from "../../cli/define.ts";
import { declined } from "../../errors.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";
import { forgetStored } from "./account.ts";

async function inFull(ctx: Context, given: { passwordFile: string | undefined; code: string | undefined }) {
  const password = await readSecret(ctx, given.passwordFile, "--password-file", "Password:");
  return withCodeIfNeeded(ctx, given.code, (code) => ctx.api().exportAccountInFull({ body: { password, code } }));
}

const exportAccount = define({
  name: "export",
  summary: "Export everything that is kept about your account",
  description:
    "Writes one JSON document: profile, keys without their secrets, playtests, messages, payments and so on. Payout details are masked, unless --full is given, which asks for the password. Takes an API key with every scope of the account.",
  operation: ["exportAccount", "exportAccountInFull"],
  flags: {
    full: flag.toggle("Show the payout details in full; takes the password, and you get an email about it"),
    passwordFile: flag.text("With --full, read the password from a file; - reads standard input", {
      value: "FILE",
      field: "password",
    }),
    code: codeFlag,
  },
  examples: ["playtest auth export > account.json", "playtest auth export --output account.json"],
  async run({ flags }, ctx) {
    const data = flags.full ? await inFull(ctx, flags) : await ctx.api().exportAccount({});
    return ctx.verbatim(JSON.stringify(data, null, 2), data);
  },
});

const deleteAccount = define({
  name: "delete",
  summary: "Delete your account",
  description:
    "Your name, email address, company, keys, sessions, webhooks and notifications are removed, and others see “Deleted account”. Invoices and the ledger stay, as tax law demands; messages and videos stay with those who received them. Refused while money or work is pending.",
  operation: "deleteAccount",
  flags: {
    passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE", field: "password" }),
    code: codeFlag,
  },
  async confirm(_, ctx) {
    const { email } = await ctx.api().getMe({});
    const typed = await ctx.prompt.text(`To delete the account, type its email address, ${email}:`, "Pass --yes.");
    if (typed.trim().toLowerCase() !== email.toLowerCase())
      throw declined("That is not the email address of this account. Nothing was deleted.");
    return "Delete the account? This cannot be undone.";
  },
  examples: ["playtest auth delete", "playtest auth delete --yes --password-file -"],
  async run({ flags }, ctx) {
    const password = await readSecret(ctx, flags.passwordFile, "--password-file", "Password:");
    const data = await withCodeIfNeeded(ctx, flags.code, (code) => ctx.api().deleteAccount({ body: { password, code } }));
    return ctx.message(data, await forgetStored(ctx));
  },
});

export const personalCommands = [exportAccount, deleteAccount];
