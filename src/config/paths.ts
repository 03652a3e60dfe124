import { join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Directory of settings and keys: PLAYTEST_CONFIG_DIR, else the user's configuration directory. */
export function configDir(env: Env, platform: string): string {
  if (env.PLAYTEST_CONFIG_DIR) return env.PLAYTEST_CONFIG_DIR;
  if (platform === "win32") return join(env.APPDATA ?? join(env.USERPROFILE ?? ".", "AppData", "Roaming"), "playtest");
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? ".", ".config"), "playtest");
}

/** Directory of cached data: inside PLAYTEST_CONFIG_DIR where that is set, else the user's cache directory. */
export function cacheDir(env: Env, platform: string): string {
  if (env.PLAYTEST_CONFIG_DIR) return join(env.PLAYTEST_CONFIG_DIR, "cache");
  if (platform === "win32")
    return join(env.LOCALAPPDATA ?? join(env.USERPROFILE ?? ".", "AppData", "Local"), "playtest", "cache");
  return join(env.XDG_CACHE_HOME || join(env.HOME ?? ".", ".cache"), "playtest");
}
