import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a server keeps what it knows: files in a folder, and the database in it or elsewhere. */
export interface DataLocation {
  dataDir: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl: string | undefined;
}

/** Which place a command is about; whatever is not said is as `serve run` would choose. */
export interface DataLocationOptions {
  data?: string | undefined;
  databaseUrl?: string | undefined;
  env: Env;
}

export const dataDirOf = (data: string | undefined, env: Env) =>
  resolve(data ?? join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "playtest"));

const databaseUrlOf = (given: string | undefined, env: Env) =>
  (given ?? env.PLAYTEST_DATABASE_URL ?? env.DATABASE_URL) || undefined;

/** Flags first, then the environment, then the user's data folder. */
export const dataLocationOf = ({ data, databaseUrl, env }: DataLocationOptions): DataLocation => ({
  dataDir: dataDirOf(data, env),
  databaseUrl: databaseUrlOf(databaseUrl, env),
});
