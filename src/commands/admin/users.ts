import { arg, type Context, define } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";
import { userView } from "./view.ts";

export const userArg = (role?: "playtester") => arg.id("Account: id or email address", "listUsers", "email", role && { role });

/** The id for an email address; an id is returned unchanged. */
export async function userId(ctx: Context, text: string): Promise<string> {
  if (!text.includes("@")) return text;
  const { users } = await ctx.api().listUsers({ query: { email: text } });
  if (users[0]) return users[0].id;
  throw notFound(`No account has the email address ${text}.`);
}

export const users = define({
  name: "users",
  summary: "List accounts",
  operation: "listUsers",
  query: "listUsers",
  list: true,
  examples: ["playtest admin users --role playtester", "playtest admin users --email ada@example.com --json"],
  run: async ({ query, range }, ctx) => ctx.list("listUsers", { query }, range, userView),
});

const change = (name: string, operation: "verifyUser" | "suspendUser" | "unsuspendUser", summary: string) =>
  define({
    name: `users ${name}`,
    summary,
    operation,
    args: { user: userArg() },
    examples: [`playtest admin users ${name} ada@example.com`],
    run: async ({ args }, ctx) =>
      ctx.item(await ctx.api()[operation]({ params: { id: await userId(ctx, args.user) } }), userView),
  });

export const deleteUser = define({
  name: "users delete",
  summary: "Delete an account: the ledger stays, personal data goes",
  description:
    "Credit, hours and earnings that are left stay in the ledger and can no longer be used. A running plan ends at once.",
  operation: "deleteUser",
  args: { user: userArg() },
  confirm: ({ args }) => `Delete the account ${args.user}? This cannot be undone.`,
  examples: ["playtest admin users delete ada@example.com --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteUser({ params: { id: await userId(ctx, args.user) } }), userView),
});

export const verify = change("verify", "verifyUser", "Mark an account's email address as verified");
export const suspend = change("suspend", "suspendUser", "Suspend an account: its API keys are rejected");
export const resetFactor = define({
  name: "users reset-factor",
  summary: "Remove the second factor of an account whose owner lost it",
  description: "Make sure that the request comes from the owner. They get an email about it.",
  operation: "resetFactor",
  args: { user: userArg() },
  confirm: ({ args }) => `Remove the second factor of ${args.user}? The password alone then suffices to sign in.`,
  examples: ["playtest admin users reset-factor ada@example.com --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().resetFactor({ params: { id: await userId(ctx, args.user) } }), userView),
});
export const unsuspend = change("unsuspend", "unsuspendUser", "Unsuspend an account");
