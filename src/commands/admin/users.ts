import { arg, type Context, define } from "../../cli/define.ts";
import { notFound, usage } from "../../errors.ts";
import { shellShown, uuid } from "../../io/text.ts";
import { userView } from "./view.ts";

export const userArg = (role?: "playtester") =>
  arg.id(
    "Account: id, email address or name",
    "listUsers",
    ({ displayName, email }) => `${displayName}  ${email}`,
    role && { role },
  );

/** The id for an email address or a name that only one account has; an id is returned unchanged. */
export async function userId(ctx: Context, text: string): Promise<string> {
  if (uuid.test(text)) return text;
  if (/^[0-9a-f]{8}$/i.test(text)) return ctx.resolveId(text);
  if (text.includes("@")) return idOfEmail(ctx, text);
  const named = (await accountsLike(ctx, text)).filter(({ displayName }) => displayName.toLowerCase() === text.toLowerCase());
  const [found] = named;
  if (found === undefined)
    throw notFound(
      `No account is called ${JSON.stringify(text)}.`,
      `To find it: \`playtest admin users --search ${shellShown(text)}\`.`,
    );
  if (named.length === 1) return found.id;
  throw usage(
    `${named.length} accounts are called ${JSON.stringify(text)}.`,
    `Use an email address: ${named.map(({ email }) => email).join(", ")}.`,
  );
}

async function idOfEmail(ctx: Context, email: string): Promise<string> {
  const { users: found } = await ctx.api().listUsers({ query: { email } });
  if (found[0]) return found[0].id;
  throw notFound(`No account has the email address ${email}.`);
}

/** The accounts with this text in their name or address. */
async function accountsLike(ctx: Context, search: string) {
  const found = [];
  for await (const { data } of ctx.pages("listUsers", { query: { search } }, { all: true })) found.push(...data.users);
  return found;
}

export const users = define({
  name: "users",
  operation: "listUsers",
  query: "listUsers",
  list: true,
  examples: [
    "playtest admin users --search pim",
    "playtest admin users --role playtester",
    "playtest admin users --email ada@example.com --json",
  ],
  view: userView,
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
