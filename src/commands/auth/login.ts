import { instanceUrl } from "../../api/url.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { howToVerify } from "../../errors.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";
import { chooseInstance, requirePlaceForKey, saveLogin, whoIs } from "./account.ts";
import { newAccountView } from "./status.ts";

interface Credentials {
  withKey: boolean;
  email: string | undefined;
  passwordFile: string | undefined;
  code: string | undefined;
}

/** An existing key, or a new one created with email and password. */
async function obtainKey(
  ctx: Context,
  baseUrl: string,
  { withKey, email, passwordFile, code: given }: Credentials,
): Promise<string> {
  const keyFile = ctx.flags.apiKeyFile ?? (withKey && !ctx.io.terminal.stdin ? "-" : undefined);
  if (withKey || keyFile !== undefined) return readSecret(ctx, keyFile, "--api-key-file", "API key:");
  const name = email ?? (await ctx.prompt.text("Email address:", "Pass --email, or pass an API key with --with-key."));
  const password = await readSecret(ctx, passwordFile, "--password-file", "Password:");
  const body = { name: "playtest command line", email: name, password };
  const api = ctx.apiAt(baseUrl, undefined);
  const { apiKey } = await withCodeIfNeeded(ctx, given, (code) => api.createApiKey({ body: { ...body, code } }));
  return apiKey;
}

export const login = define({
  name: "login",
  summary: "Sign in to an instance and save an API key",
  description:
    "Prompts for email and password, and for a code if the account has a second factor, and creates an API key, or saves a key that you already have. Keys are stored for each instance, in the system keyring or in a file that only you can read.",
  operation: ["getMe", "createApiKey"],
  flags: {
    withKey: flag.toggle("Use an existing API key, read from a prompt or standard input"),
    email: flag.text("Email address of the account", { value: "EMAIL" }),
    passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE" }),
    code: codeFlag,
  },
  examples: [
    "playtest login",
    "playtest login --base-url https://playtest.example.com --with-key < key.txt",
    "playtest login --email dev@example.com --password-file -",
    "playtest login --email dev@example.com --password-file password.txt --code 123456",
  ],
  async run({ flags }, ctx) {
    requirePlaceForKey(ctx);
    const baseUrl = instanceUrl(await chooseInstance(ctx));
    const key = await obtainKey(ctx, baseUrl, flags);
    const me = await whoIs(ctx.apiAt(baseUrl, key.trim()));
    const profile = await saveLogin(ctx, baseUrl, key);
    if (me && !me.emailVerified) ctx.out.warn(`The email address is not verified yet. ${howToVerify}`);
    ctx.out.note(`Signed in to ${baseUrl}. Profile: ${profile}.`);
    return ctx.item({ result: { profile, baseUrl, user: me ?? null } }, newAccountView);
  },
});
