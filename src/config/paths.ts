import { join } from "node:path";
import { type User, userFolder } from "../contract/text/user-folders.ts";

/** The user's folders, which need not exist yet. Undefined where the user has no home. */
export interface Folders {
  /** Settings and keys: PLAYTEST_CONFIG_DIR, else in the user's configuration directory. */
  config: string | undefined;
  /** Cached data, which every command can do without. */
  cache: string | undefined;
}

export function foldersOf(user: User): Folders {
  const { env, platform } = user;
  const { PLAYTEST_CONFIG_DIR: own } = env;
  if (own) return { config: own, cache: join(own, "cache") };
  const inFolder = (folder: string | undefined, ...names: string[]) => folder && join(folder, "playtest", ...names);
  if (platform === "win32")
    return {
      config: inFolder(userFolder(user, "APPDATA", "AppData/Roaming")),
      cache: inFolder(userFolder(user, "LOCALAPPDATA", "AppData/Local"), "cache"),
    };
  return {
    config: inFolder(userFolder(user, "XDG_CONFIG_HOME", ".config")),
    cache: inFolder(userFolder(user, "XDG_CACHE_HOME", ".cache")),
  };
}
