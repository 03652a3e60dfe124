import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a server keeps its data: files in a directory, and the database in it or elsewhere. */
export interface DataLocation {
  dataDir: string;
  /** Without it the database is a file in `dataDir`. */
  databaseUrl: string | undefined;
}

/** A data location with what chose it: a flag, a variable, or "default". */
export interface ChosenLocation extends DataLocation {
  dataDirFrom: string;
  databaseFrom: string;
}

/** The flags of a command, and its environment. */
export interface DataLocationOptions {
  data?: string | undefined;
  databaseUrl?: string | undefined;
  env: Env;
}

/**
 * The one rule for every command. The data directory is the one --data names, otherwise the user's. The database is the
 * one whose URL --database-url, PLAYTEST_DATABASE_URL or DATABASE_URL gives, in this order; otherwise a file in the data directory.
 * One that is set to nothing means the file.
 */
export function dataLocationOf({ data, databaseUrl, env }: DataLocationOptions): ChosenLocation {
  const candidates = [
    ["--database-url", databaseUrl],
    ["PLAYTEST_DATABASE_URL", env.PLAYTEST_DATABASE_URL],
    ["DATABASE_URL", env.DATABASE_URL],
  ] as const;
  const [databaseFrom, url] = candidates.find(([, value]) => value !== undefined) ?? ["default", undefined];
  const dataDirFrom = data !== undefined ? "--data" : env.XDG_DATA_HOME ? "XDG_DATA_HOME" : "default";
  const userFolder = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return { dataDir: resolve(data ?? join(userFolder, "playtest")), dataDirFrom, databaseUrl: url || undefined, databaseFrom };
}

/** A data location as commands print it, without passwords. */
export interface LocationReport {
  database: string;
  databaseFrom: string;
  dataDir: string;
  dataDirFrom: string;
}
