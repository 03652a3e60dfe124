import { instanceUrl } from "../../api/url.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { isEmailAddress, withAsciiDomain } from "../../contract/text/email-address.ts";
import { CliError, howToVerify } from "../../errors.ts";
import { readSecret } from "../shared/secret.ts";
import { chooseInstance, requirePlaceForKey, saveLogin } from "./account.ts";
import { newAccountView } from "./status.ts";

/** What the server says about itself. Undefined from one that has nothing to say, or says it only to who has an account. */
async function offeredInfo(ctx: Context, baseUrl: string) {
  try {
    return (await ctx.apiAt(baseUrl, undefined).offered("getServerInfo", {}))?.data;
  } catch (error) {
    if (error instanceof CliError && error.extra.httpStatus !== undefined) return undefined;
    throw error;
  }
}

/** Says what creating an account accepts, before anything is asked. */
async function noteTerms(ctx: Context, baseUrl: string): Promise<void> {
  const info = await offeredInfo(ctx, baseUrl);
  if (info?.termsUrl) ctx.out.note(`By creating an account you accept the terms: ${info.termsUrl}`);
  if (info?.privacyUrl) ctx.out.note(`How your data is used: ${info.privacyUrl}`);
}

/** Said at the prompt: the server would refuse it only after the password was typed. */
const addressFault = (answer: string): string | undefined =>
  isEmailAddress(withAsciiDomain(answer.trim())) ? undefined : "Enter an email address, such as dev@example.com.";

export const register = define({
  name: "register",
  summary: "Create an account and save its API key",
  operation: "registerApiKey",
  body: "registerApiKey",
  bodyOmit: ["password"],
  partialBody: true,
  flags: { passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE" }) },
  examples: [
    "playtest auth register --email dev@example.com --role game_owner",
    "playtest auth register --email dev@example.com --password-file password.txt --base-url http://127.0.0.1:4747",
  ],
  async run({ body, flags }, ctx) {
    requirePlaceForKey(ctx);
    const baseUrl = instanceUrl(await chooseInstance(ctx));
    await noteTerms(ctx, baseUrl);
    const email = body.email ?? (await ctx.prompt.text("Email address:", "Pass --email.", undefined, addressFault));
    const password =
      body.password ?? (await readSecret(ctx, flags.passwordFile, "--password-file", "Password (at least 8 characters):"));
    const account = { ...body, email, password, role: body.role ?? ("game_owner" as const) };
    const { apiKey, user, message } = await ctx.apiAt(baseUrl, undefined).registerApiKey({ body: account });
    const profile = await saveLogin(ctx, baseUrl, apiKey);
    // Other servers need not reply with more than the key.
    ctx.out.note(message ?? `The account was created. ${howToVerify}`);
    if (message && !user?.emailVerified) ctx.out.note("Then run `playtest auth wait-verified`.");
    return ctx.item({ result: { profile, baseUrl, user: user ?? { email, role: account.role } } }, newAccountView);
  },
});
