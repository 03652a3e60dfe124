import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ConfigError } from "./read.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a server keeps its data: files in a directory, and the database in it or elsewhere. */
export interface DataLocation {
  dataDir: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
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
 * The one rule for every command. The data directory is the one --data names, otherwise the user's. The database is the PostgreSQL
 * database that --database-url, PLAYTEST_DATABASE_URL or DATABASE_URL names, in this order; otherwise SQLite in the data directory.
 * One that is set to nothing means SQLite. Throws ConfigError for any other kind of database.
 */
export function dataLocationOf({ data, databaseUrl, env }: DataLocationOptions): ChosenLocation {
  const candidates = [
    ["--database-url", databaseUrl],
    ["PLAYTEST_DATABASE_URL", env.PLAYTEST_DATABASE_URL],
    ["DATABASE_URL", env.DATABASE_URL],
  ] as const;
  const [databaseFrom, url] = candidates.find(([, value]) => value !== undefined) ?? ["default", undefined];
  if (url && !/^postgres(ql)?:\/\//.test(url)) throw notPostgres(databaseFrom);
  const dataDirFrom = data !== undefined ? "--data" : env.XDG_DATA_HOME ? "XDG_DATA_HOME" : "default";
  const userFolder = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return { dataDir: resolve(data ?? join(userFolder, "playtest")), dataDirFrom, databaseUrl: url || undefined, databaseFrom };
}

const notPostgres = (from: string) =>
  Object.assign(
    new ConfigError(
      `The database URL of ${from} does not start with postgres://. Nothing was opened. To use SQLite in the data directory, pass --database-url "".`,
    ),
    { exitCode: 1 },
  );

/** A data location as commands print it, without passwords. */
export interface LocationReport {
  database: string;
  databaseFrom: string;
  dataDir: string;
  dataDirFrom: string;
}

export const reportLocation = ({ dataDir, dataDirFrom, databaseUrl, databaseFrom }: ChosenLocation): LocationReport => ({
  database: databaseUrl === undefined ? `SQLite ${join(dataDir, "playtest.db")}` : `PostgreSQL ${withoutPassword(databaseUrl)}`,
  databaseFrom,
  dataDir,
  dataDirFrom,
});

/** A URL with its password replaced. Nothing of one that cannot be parsed is shown. */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return "postgres://***";
  const url = new URL(text);
  if (url.password !== "") url.password = "***";
  for (const name of [...url.searchParams.keys()]) if (/pass/i.test(name)) url.searchParams.set(name, "***");
  return url.href;
}
