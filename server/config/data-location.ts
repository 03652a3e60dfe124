import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { noHome, userFolder } from "../../src/contract/text/user-folders.ts";
import { ConfigError } from "./read.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a server keeps its data: files in a directory, and the database in it or elsewhere. */
export interface DataLocation {
  dataDir: string;
  /** Without it the database is a file in `dataDir`. */
  databaseUrl: string | undefined;
}

/** A data location with what selected it: a flag, an environment variable, or "default". */
export interface ChosenLocation extends DataLocation {
  dataDirFrom: string;
  databaseFrom: string;
}

/** The flags and the environment of a command. */
export interface DataLocationOptions {
  data?: string | undefined;
  databaseUrl?: string | undefined;
  /** The configuration file; config.json in the data directory unless given. */
  config?: string | undefined;
  env: Env;
  /** The user's home folder in the system's list. */
  systemHome?: () => string;
}

/**
 * Resolves the data location, in the same way for every command. The data directory is that of --data, otherwise the user's default.
 * The database URL is that of --database-url, PLAYTEST_DATABASE_URL or DATABASE_URL, in this order. Without one, or with an empty one,
 * the database is a file in the data directory.
 */
export function dataLocationOf({ data, databaseUrl, env, ...user }: DataLocationOptions): ChosenLocation {
  const candidates = [
    ["--database-url", databaseUrl],
    ["PLAYTEST_DATABASE_URL", env.PLAYTEST_DATABASE_URL],
    ["DATABASE_URL", env.DATABASE_URL],
  ] as const;
  const [databaseFrom, url] = candidates.find(([, value]) => value !== undefined) ?? ["default", undefined];
  const database = { databaseUrl: url || undefined, databaseFrom };
  if (data !== undefined) return { dataDir: resolve(data), dataDirFrom: "--data", ...database };
  const { systemHome = () => userInfo().homedir } = user;
  const folder = userFolder({ env, platform: process.platform, systemHome }, "XDG_DATA_HOME", ".local/share");
  if (folder === undefined) throw new ConfigError(`${noHome} Pass the data directory with --data, or set HOME.`);
  const dataDirFrom = folder === env.XDG_DATA_HOME ? "XDG_DATA_HOME" : "default";
  return { dataDir: join(folder, "playtest"), dataDirFrom, ...database };
}

/** A data location for output, without passwords. */
export interface LocationReport {
  database: string;
  databaseFrom: string;
  dataDir: string;
  dataDirFrom: string;
}
