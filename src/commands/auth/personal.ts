import { define, flag } from "../../cli/define.ts";
import { declined } from "../../errors.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";
import { forgetStored } from "./account.ts";

export const exportAccount = define({
  name: "export",
  summary: "Export everything that is kept about your account",
  description: "Writes one JSON document: profile, keys without their secrets, playtests, messages, payments and so on.",
  operation: "exportAccount",
  examples: ["playtest auth export > account.json", "playtest auth export --output account.json"],
  async run(_, ctx) {
    const data = await ctx.api().exportAccount({});
    return ctx.text(JSON.stringify(data, null, 2), data);
  },
});

export const deleteAccount = define({
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
