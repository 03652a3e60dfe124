import { instanceUrl } from "../../api/url.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { chooseInstance, readSecret, remember, whoIs } from "./account.ts";
import { newAccountView } from "./status.ts";

interface Credentials {
  withKey: boolean;
  email: string | undefined;
  passwordFile: string | undefined;
}

/** A key the person has, or a new one for e-mail and password. */
async function obtainKey(ctx: Context, baseUrl: string, { withKey, email, passwordFile }: Credentials): Promise<string> {
  const keyFile = ctx.flags.apiKeyFile ?? (withKey && !ctx.io.terminal.stdin ? "-" : undefined);
  if (withKey || keyFile !== undefined) return readSecret(ctx, keyFile, "--api-key-file", "API key?");
  const name = email ?? (await ctx.prompt.text("E-mail?", "Pass --email, or a key with --with-key."));
  const password = await readSecret(ctx, passwordFile, "--password-file", "Password?");
  const body = { name: "playtest command line", email: name, password };
  const { apiKey } = await ctx.apiAt(baseUrl, undefined).createApiKey({ body });
  return apiKey;
}

export const login = define({
  name: "login",
  summary: "Log in to an instance and keep its key",
  description:
    "Asks for e-mail and password and makes a key, or takes one you have. Keys are kept per instance, readable by you alone.",
  operation: ["getMe", "createApiKey"],
  flags: {
    withKey: flag.toggle("Take an API key, from a prompt or standard input"),
    email: flag.text("E-mail address of the account", { value: "EMAIL" }),
    passwordFile: flag.text("Read the password from a file; - is standard input", { value: "FILE" }),
  },
  examples: [
    "playtest login",
    "playtest login --base-url https://playtest.example.com --with-key < key.txt",
    "playtest login --email dev@example.com --password-file -",
  ],
  async run({ flags }, ctx) {
    const baseUrl = instanceUrl(await chooseInstance(ctx));
    const key = await obtainKey(ctx, baseUrl, flags);
    const me = await whoIs(ctx.apiAt(baseUrl, key.trim()));
    const profile = await remember(ctx, baseUrl, key);
    if (me && !me.emailVerified) ctx.out.warn("The e-mail address is not verified yet; see `playtest auth wait-verified`.");
    ctx.out.note(`Logged in to ${baseUrl} as profile ${profile}.`);
    return ctx.item({ result: { profile, baseUrl, user: me ?? null } }, newAccountView);
  },
});
