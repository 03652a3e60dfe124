import { writeFile } from "node:fs/promises";
import { define, flag } from "../../cli/define.ts";
import { cannotWrite, declined } from "../../errors.ts";
import { readSecret } from "./account.ts";

export const exportAccount = define({
  name: "export",
  summary: "Export everything that is kept about your account",
  description: "Writes one JSON document: profile, keys without their secrets, playtests, messages, payments and so on.",
  operation: "exportAccount",
  flags: { output: flag.text("Write to this file, readable by you only, instead of standard output", { value: "FILE" }) },
  examples: ["playtest auth export > account.json", "playtest auth export --output account.json"],
  async run({ flags }, ctx) {
    const data = await ctx.api().exportAccount({});
    const text = `${JSON.stringify(data, null, 2)}\n`;
    const { output } = flags;
    if (output === undefined) return ctx.text(text.trimEnd(), data);
    await writeFile(output, text, { mode: 0o600, flag: "wx" }).catch((error: Error) =>
      Promise.reject(cannotWrite(output, error)),
    );
    return ctx.text(`Wrote ${output}.`, { file: output });
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
  },
  confirm: false,
  examples: ["playtest auth export --output account.json\nplaytest auth delete", "playtest auth delete --yes --password-file -"],
  async run({ flags }, ctx) {
    await ctx.confirm(async () => {
      const { email } = await ctx.api().getMe({});
      const typed = await ctx.prompt.text(`To delete the account, type its email address, ${email}:`, "Pass --yes.");
      if (typed.trim().toLowerCase() !== email.toLowerCase()) throw declined();
      return "Delete the account? This cannot be undone.";
    });
    const password = await readSecret(ctx, flags.passwordFile, "--password-file", "Password:");
    const data = await ctx.api().deleteAccount({ body: { password } });
    return ctx.text(data.message, data);
  },
});
