import { arg, define, detail, flag, type ItemOf, prose, viewOf } from "../../cli/define.ts";

const view = viewOf<ItemOf<"listSessions">>(
  ["id", prose("browser:agent"), "address", "last used:lastUsedAt", "signed in:createdAt", detail("expires:expiresAt")],
  { empty: "No browser is signed in." },
);

const sessionsList = define({
  name: "sessions list",
  summary: "List the browsers that are signed in to your account",
  operation: "listSessions",
  examples: ["playtest auth sessions list"],
  rows: "sessions",
  view,
});

const sessionsEnd = define({
  name: "sessions end",
  summary: "Sign a browser out of your account",
  operation: "endSession",
  args: { session: arg.id("Session id", "listSessions", "agent") },
  confirm: ({ args }) => `Sign out the browser of session ${args.session}?`,
  examples: ["playtest auth sessions end 4f6a1b2c --yes"],
});

const signOutEverywhere = define({
  name: "sign-out-everywhere",
  summary: "Sign out of every browser",
  description: "API keys remain valid, unless --revoke-api-keys is given: then only the key in use does.",
  operation: "signOutEverywhere",
  flags: {
    revokeApiKeys: flag.toggle("Also revoke all other API keys of the account", { field: "revokeApiKeys" }),
    removePasskeys: flag.toggle("Also remove all passkeys of the account", { field: "removePasskeys" }),
  },
  confirm: ({ flags }) =>
    `${[
      "Sign out of every browser",
      flags.revokeApiKeys && "revoke all API keys except the one in use",
      flags.removePasskeys && "remove all passkeys",
    ]
      .filter((part) => part)
      .join(", and ")}?`,
  examples: ["playtest auth sign-out-everywhere --yes", "playtest auth sign-out-everywhere --revoke-api-keys --yes"],
  async run({ flags }, ctx) {
    const data = await ctx
      .api()
      .signOutEverywhere({ body: { revokeApiKeys: flags.revokeApiKeys, removePasskeys: flags.removePasskeys } });
    return ctx.message(data);
  },
});

export const sessionsCommands = [sessionsList, sessionsEnd, signOutEverywhere];
