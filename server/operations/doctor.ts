import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DataLocationOptions, dataDirOf } from "../config/data-location.ts";
import { ConfigError } from "../config/read.ts";
import { migrate, pending } from "../database/migrate.ts";
import { dataFile } from "../database/open.ts";
import type { Check, Query, Store } from "../database/port.ts";
import { openPostgres } from "../database/postgres/postgres.ts";
import { openSqlite } from "../database/sqlite/sqlite.ts";
import * as jobs from "../jobs/store.ts";
import { checkLedger, repairBalances } from "../ledger/checks.ts";
import { missingBlobs } from "../uploads/missing-blobs.ts";

export interface DoctorOptions extends DataLocationOptions {
  ledger: boolean;
  /** Repairs what can be: needs the database to itself, unlike a look. */
  fix: boolean;
  /** Milliseconds, to compare with the database's clock. */
  now: number;
}

/** Examines a database, whether a server runs on it or not. Throws ConfigError when there is none to examine. */
export async function doctor(options: DoctorOptions): Promise<Check[]> {
  const location = dataLocationOf(options);
  const repairs = options.fix ? await repair(location) : [];
  const store = await open(location, true);
  try {
    const behind = await pending(store);
    const schema = { name: "schema", ok: behind.length === 0, detail: behind.length === 0 ? "up to date" : waiting(behind) };
    const checks = [...(await store.check({ thorough: true, now: options.now })), schema, ...fileChecks(location)];
    if (schema.ok) checks.push(await store.read(jobCheck));
    const dataDir = "dataDir" in location ? location.dataDir : options.data;
    if (schema.ok && dataDir !== undefined) checks.push(await store.read((q) => uploadCheck(q, dataDir)));
    if (options.ledger && schema.ok) checks.push(...(await store.read(checkLedger)));
    return [...repairs, ...checks];
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

/** Brings the database up to date; the names of the migrations that ran. */
export async function migrateDatabase(options: DataLocationOptions): Promise<string[]> {
  const store = await open(dataLocationOf(options), false);
  try {
    const names = (await pending(store)).map(({ name }) => name);
    await migrate(store);
    return names;
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

const waiting = (migrations: readonly { name: string }[]) =>
  `${migrations.map(({ name }) => name).join(", ")} to apply: start the server, or run \`playtest serve migrate\``;

type DataLocation = { databaseUrl: string } | { dataDir: string };

/** Flags first, then the environment, then the user's data folder; a folder that is named is meant, whatever the environment says. */
function dataLocationOf({ data, databaseUrl, env }: DataLocationOptions): DataLocation {
  const url = databaseUrl ?? (data === undefined ? (env.PLAYTEST_DATABASE_URL ?? env.DATABASE_URL) : undefined);
  if (url) return { databaseUrl: url };
  return { dataDir: dataDirOf(data, env) };
}

async function open(location: DataLocation, lookOnly: boolean): Promise<Store> {
  // On a large database a check or a migration takes as long as it takes.
  const patient = { silenceMs: 0 };
  if ("databaseUrl" in location)
    return openPostgres(location.databaseUrl, patient).catch((error) => Promise.reject(refused(error)));
  const file = dataFile(location.dataDir);
  if (lookOnly && !existsSync(file))
    throw new ConfigError(`There is no playtest database in ${location.dataDir}. Name its folder with --data.`);
  return openSqlite(file, { readOnly: lookOnly }).catch((error) => Promise.reject(refused(error)));
}

/** What is wrong with a database is for the operator, not a defect of this program. */
function refused(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new ConfigError(message, { cause: error }), { exitCode: 1 });
}

/** What holds keys and people's data is for its owner's eyes only. */
const privateFile = /^(playtest\.db|instance\.key|config\.json)/;

const exposedFiles = (dataDir: string) =>
  readdirSync(dataDir)
    .filter((name) => privateFile.test(name))
    .map((name) => join(dataDir, name))
    .filter((file) => (statSync(file).mode & 0o077) !== 0);

function fileChecks(location: DataLocation): Check[] {
  if ("databaseUrl" in location || process.platform === "win32") return [];
  const exposed = exposedFiles(location.dataDir);
  const detail =
    exposed.length === 0 ? "readable by their owner only" : `others can read ${exposed.join(", ")}; --fix closes them`;
  return [{ name: "file_modes", ok: exposed.length === 0, detail }];
}

/** Work that failed again and again is not lost: it waits here for what kept it from being done to be mended. */
async function jobCheck(q: Query): Promise<Check> {
  const kinds = await jobs.givenUp(q);
  if (kinds.length === 0) return { name: "jobs", ok: true, detail: "none was given up" };
  return {
    name: "jobs",
    ok: false,
    detail: kinds.map(({ kind, count, last_error }) => `${count} × ${kind} given up (${last_error})`).join("; "),
    help: "This work in the background failed 25 times over days. Mend what it names, then `--fix` queues it anew.",
  };
}

const shownFiles = 3;

async function uploadCheck(q: Query, dataDir: string): Promise<Check> {
  const lost = await missingBlobs(q, dataDir);
  if (lost.length === 0) return { name: "uploads", ok: true, detail: "each video, build and transcript is there" };
  const more = lost.length > shownFiles ? ` and ${lost.length - shownFiles} more` : "";
  const help = `Take them out of a backup: \`tar xf BACKUP -C ${dataDir} blobs/…\`.`;
  return {
    name: "uploads",
    ok: false,
    detail: `not in ${join(dataDir, "blobs")}: ${lost.slice(0, shownFiles).join(", ")}${more}`,
    help,
  };
}

async function repair(location: DataLocation): Promise<Check[]> {
  const done: Check[] = [];
  const note = (detail: string) => done.push({ name: "fixed", ok: true, detail });
  const store = await open(location, false);
  try {
    const balances = await store.write(repairBalances);
    if (balances > 0) note(`${balances} balances set to the sum of their postings`);
    const taken = await store.write(jobs.requeueDead);
    if (taken > 0) note(`${taken} jobs that were given up queued anew`);
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
  for (const file of "dataDir" in location ? exposedFiles(location.dataDir) : []) {
    chmodSync(file, 0o600);
    note(`${file} made private`);
  }
  return done;
}
