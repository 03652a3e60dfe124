import { type Context, columnsOf, define, detail, flag, type Row, viewOf } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { notSignedIn } from "../../errors.ts";
import { whoIs } from "./account.ts";

interface Login {
  profile: string;
  baseUrl: string;
  user: Data<"getMe"> | { email: string; role: Data<"getMe">["role"] } | null;
}

const account = columnsOf<Login>([
  "profile",
  "instance:baseUrl",
  "account:user.email",
  "role:user.role",
  "verified:user.emailVerified",
]);

/** The account after a sign-in or registration. */
export const newAccountView = viewOf<Login>(account);

const accountView = viewOf<Login & Row<"keyFrom" | "keyStoredIn" | "problem">>([
  ...account,
  detail("name:user.profile.displayName"),
  detail("company:user.profile.companyName"),
  detail("scopes:user.scopes"),
  "key from:keyFrom",
  detail("key stored in:keyStoredIn"),
  "problem",
]);

async function one(ctx: Context) {
  const settings = ctx.settings();
  const key = settings.apiKey();
  if (!key) throw notSignedIn();
  const user = (await whoIs(ctx.api())) ?? null;
  const login = { profile: settings.profile.value, baseUrl: settings.get("baseUrl")!.value };
  const keyStoredIn = (key.source === "profile" && ctx.store.placeOfKey(login)) || null;
  return { ...login, keyFrom: key.from, keyStoredIn, user, problem: null };
}

/** Every saved login, with the error of those that fail. */
async function every(ctx: Context) {
  return Promise.all(
    ctx.store.logins().map(async (login) => {
      const { profile, baseUrl } = login;
      const keyStoredIn = ctx.store.placeOfKey(login) ?? null;
      const base = { profile, baseUrl, keyFrom: `profile ${profile}`, keyStoredIn };
      const ask = async () => whoIs(ctx.apiAt(baseUrl, ctx.store.key(login)));
      return ask().then(
        (user) => ({ ...base, user: user ?? null, problem: null }),
        (error: Error) => ({ ...base, user: null, problem: error.message }),
      );
    }),
  );
}

export const status = define({
  name: "status",
  aliases: ["whoami"],
  summary: "Show the signed-in account and its instance",
  operation: "getMe",
  flags: { all: flag.toggle("Show every saved login") },
  examples: ["playtest auth status", "playtest auth status --all --json"],
  run: async ({ flags }, ctx) =>
    flags.all ? ctx.rows("logins", await every(ctx), accountView) : ctx.item({ result: await one(ctx) }, accountView),
});
