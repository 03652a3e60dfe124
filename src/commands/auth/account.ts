import type { Data } from "../../api/client.ts";
import type { Api } from "../../cli/context.ts";
import type { Context } from "../../cli/define.ts";
import { checkKey } from "../../config/settings.ts";
import { isAbsent, usage } from "../../errors.ts";

const firstLine = (text: string) => text.split(/\r?\n/, 1)[0] ?? "";

/** A secret from a file, from standard input where `-` names it, or from a prompt; never from a flag's value. */
export async function readSecret(ctx: Context, file: string | undefined, flag: string, question: string): Promise<string> {
  if (file !== undefined) {
    const secret = firstLine(await ctx.io.readText(file, flag));
    if (secret === "") throw usage(`${flag}: ${file === "-" ? "standard input" : file} is empty.`);
    return secret;
  }
  return ctx.prompt.secret(question, `Pass ${flag} FILE (- is standard input).`);
}

/** The instance to log in to: what was named, else what the person answers. */
export async function chooseInstance(ctx: Context): Promise<string> {
  const { value, source } = ctx.settings().get("baseUrl")!;
  if (source !== "default" || !ctx.prompt.possible) return value;
  return ctx.prompt.text("Which instance?", "Pass --base-url.", value);
}

/** Name of the profile a login at this address goes to: the one in use, unless that is another instance's. */
export function profileFor(ctx: Context, baseUrl: string): string {
  const { value, source } = ctx.settings().profile;
  const used = ctx.store.config().profiles[value]?.baseUrl;
  const explicit = source === "flag" || source === "environment";
  return explicit || used === undefined || used === baseUrl ? value : new URL(baseUrl).host;
}

/** Stores a key and makes its profile the one in use. */
export async function remember(ctx: Context, baseUrl: string, key: string): Promise<string> {
  const profile = profileFor(ctx, baseUrl);
  const checked = checkKey(key, "The key");
  await ctx.store.saveKeys((keys) => {
    keys[baseUrl] = { ...keys[baseUrl], [profile]: checked };
  });
  await ctx.store.saveConfig((config) => {
    config.profiles[profile] = { ...config.profiles[profile], baseUrl };
    config.profile = profile;
  });
  return profile;
}

/** Who the key belongs to. An instance without that route still tells a good key from a bad one: then nothing. */
export async function whoIs(api: Api): Promise<Data<"getMe"> | undefined> {
  try {
    return await api.getMe({});
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await api.listDevices({});
    return undefined;
  }
}
