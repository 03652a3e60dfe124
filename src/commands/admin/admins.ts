import { arg, define, flag } from "../../cli/define.ts";
import { adminView } from "./view.ts";

const admins = define({
  name: "admins",
  summary: "List administrators and what each may do",
  operation: "listAdmins",
  list: true,
  examples: ["playtest admin admins"],
  view: adminView,
});

const adminsCreate = define({
  name: "admins create",
  summary: "Add an administrator with an API key (shown once)",
  description:
    "The scopes: `approve` for trials, videos, games and categories, `money` for grants, payouts, deposits and chargebacks, `accounts` for accounts, `admin` for all of these, the audit log and administrators.",
  operation: "createAdmin",
  body: "createAdmin",
  flags: { secretFile: flag.text("Write the key to a new file that only you can read", { value: "FILE" }) },
  examples: [
    "playtest admin admins create --name Ada --scopes approve,accounts --email ada@example.com",
    "playtest admin admins create --name payouts --scopes money --secret-file key.txt",
  ],
  async run({ body, flags }, ctx) {
    await ctx.reserveSecret(flags.secretFile);
    const data = await ctx.api().createAdmin({ body });
    ctx.out.note(`Added the administrator ${data.admin.name}. The API key will not be shown again.`);
    if (body.email !== undefined) ctx.out.note(`Emails go to ${body.email} once the link that is sent there was opened.`);
    return ctx.secret(data.apiKey, flags.secretFile, data);
  },
});

const adminsRevoke = define({
  name: "admins revoke",
  summary: "Revoke an administrator and all their API keys",
  operation: "revokeAdmin",
  args: { admin: arg.id("Administrator id or name", "listAdmins") },
  confirm: ({ args }) => `Revoke the administrator ${args.admin}? All API keys of that account stop working immediately.`,
  examples: ["playtest admin admins revoke 4f6a1b2c --yes"],
  view: adminView,
});

export const adminsCommands = [admins, adminsCreate, adminsRevoke];
