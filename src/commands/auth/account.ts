import type { Data } from "../../api/client.ts";
import type { Api } from "../../cli/context.ts";
import type { Context } from "../../cli/define.ts";
import { checkKey } from "../../config/settings.ts";
import { CliError, declined } from "../../errors.ts";
import { shellShown } from "../../io/text.ts";

/** Asks before a password or a key goes to an address that only a directory file names: it may come with a cloned repository. */
async function requireTrust(ctx: Context, address: string, from: string) {
  if (!ctx.settings().untrusted()) return;
  const question = `Only ${from} sets the address ${address}, where you never signed in. Sign in there?`;
  if (!(await ctx.prompt.confirm(question, `If you trust it, pass \`--base-url ${shellShown(address)}\`.`))) throw declined();
}

/** The address of the instance to sign in to: the configured one, else the answer to a prompt. */
export async function chooseInstance(ctx: Context): Promise<string> {
  const { value, source, from } = ctx.settings().get("baseUrl")!;
  await requireTrust(ctx, value, from);
  if (source !== "default" || !ctx.prompt.possible) return value;
  return ctx.prompt.text("Instance URL:", "Pass --base-url.", value);
}

/** The profile to save a login in: the current one, unless it belongs to another instance. */
export function profileFor(ctx: Context, baseUrl: string): string {
  const { value, source } = ctx.settings().profile;
  const used = ctx.store.config().profiles[value]?.baseUrl;
  const explicit = source === "flag" || source === "environment";
  return explicit || used === undefined || used === baseUrl ? value : new URL(baseUrl).host;
}

/** Before the server makes a key: one that cannot be saved would be lost. */
export function requirePlaceForKey(ctx: Context): void {
  if (!ctx.flags.dryRun) ctx.store.requireWritable();
}

/** Warns of what commands use instead of the profile that is now the current one. */
export function warnOfOthers(ctx: Context, profile: string): void {
  const { env } = ctx.io;
  const { directoryFile } = ctx.settings();
  const [other, from, remedy] = env.PLAYTEST_PROFILE
    ? [env.PLAYTEST_PROFILE, "PLAYTEST_PROFILE", "Unset it."]
    : [directoryFile?.values.profile, directoryFile?.path, "Remove `profile` from that file."];
  if (other && other !== profile)
    ctx.out.warn(`${from} names the profile ${String(other)}, and commands use it instead of ${profile}. ${remedy}`);
  if (env.PLAYTEST_API_KEY) ctx.out.warn("PLAYTEST_API_KEY is set, and commands use it instead of the saved key. Unset it.");
}

/** Saves a key and makes its profile the current one. */
export async function saveLogin(ctx: Context, baseUrl: string, key: string): Promise<string> {
  const profile = profileFor(ctx, baseUrl);
  const checked = checkKey(key, "The input");
  await ctx.store.saveKey({ baseUrl, profile }, checked);
  await ctx.store.saveConfig((config) => {
    config.profiles[profile] = { ...config.profiles[profile], baseUrl };
    config.profile = profile;
  });
  warnOfOthers(ctx, profile);
  return profile;
}

/** Puts a new key in the place of the one that is stored for this instance and profile. */
export const replaceStored = (ctx: Context, key: string): Promise<void> =>
  ctx.store.saveKey({ baseUrl: ctx.settings().get("baseUrl")!.value, profile: ctx.settings().profile.value }, key);

/**
 * Removes the key that is stored for this instance and profile, after it stopped working. Returns a sentence about it to append; empty
 * if the key in use is not a stored one.
 */
export async function forgetStored(ctx: Context): Promise<string> {
  const settings = ctx.settings();
  if (settings.apiKey()?.source !== "profile") return "";
  const profile = settings.profile.value;
  const login = { baseUrl: settings.get("baseUrl")!.value, profile };
  const place = ctx.store.placeOfKey(login);
  try {
    await ctx.store.removeKey(login);
    return ` The API key of profile ${profile} no longer works and was removed from ${place === "system keyring" ? "the system keyring" : place}.`;
  } catch (error) {
    // What was asked for is done.
    ctx.out.warn((error as Error).message);
    return "";
  }
}

/** Like `forgetStored`, if the instance refuses the stored key: it may be one of those that were revoked. */
export async function forgetIfDead(ctx: Context): Promise<string> {
  try {
    if (ctx.settings().apiKey()?.source !== "profile") return "";
    await ctx.api().listApiKeys({ query: { limit: 1 } });
    return "";
  } catch (error) {
    return error instanceof CliError && error.code === "UNAUTHORIZED" ? forgetStored(ctx) : "";
  }
}

/** The account of the key. Undefined if the instance lacks that route; an invalid key is still an error then. */
export async function whoIs(api: Api): Promise<Data<"getMe"> | undefined> {
  const me = await api.offered("getMe", {});
  if (me === undefined) await api.listDevices({});
  return me?.data;
}

/** The email address given, that of the account signed in, or the answer to a prompt. */
export async function emailOf(ctx: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const me = ctx.settings().apiKey() && (await whoIs(ctx.api()));
  return me?.email ?? ctx.prompt.text("Email address:", "Pass --email.");
}
