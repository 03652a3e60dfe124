/** Where the files of a user belong, for the command and the server alike. */
export interface User {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  /** The home folder in the system's list of users. May throw: a container's user is often in no list. */
  systemHome(): string;
}

const isAbsolute = (path: string | undefined, platform: string): path is string =>
  path !== undefined && (platform === "win32" ? /^([a-z]:[\\/]|\\\\)/i : /^\//).test(path);

function homeOf({ env, platform, systemHome }: User): string | undefined {
  const named = platform === "win32" ? env.USERPROFILE : env.HOME;
  if (isAbsolute(named, platform)) return named;
  try {
    const listed = systemHome();
    return isAbsolute(listed, platform) ? listed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The folder that a variable such as XDG_CONFIG_HOME names, else one in the user's home. Undefined if the user has no home. A relative
 * path does not count, as the XDG specification says: it would be in whatever folder a command is started in, and a build with it.
 */
export function userFolder(user: User, variable: string, inHome: string): string | undefined {
  const named = user.env[variable];
  if (isAbsolute(named, user.platform)) return named;
  const home = homeOf(user);
  return home === undefined ? undefined : `${home}/${inHome}`;
}

/** Why a user has no folder. */
export const noHome =
  "No home folder was found: HOME (on Windows USERPROFILE) is not set to an absolute path, and the system has none for this user.";
