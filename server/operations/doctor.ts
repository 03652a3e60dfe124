import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../../src/contract/text/plural.ts";
import * as backups from "../admin/backups-store.ts";
import { checkAudit } from "../audit/checks.ts";
import * as signedPayments from "../billing/crypto/signed/store.ts";
import type { DataLocationOptions, LocationReport } from "../config/data-location.ts";
import { defaults } from "../config/defaults.ts";
import { ConfigError, readConfig } from "../config/read.ts";
import type { Config } from "../config/schema.ts";
import { type DatabaseLocation, fileDrivers, hasDatabase, locate, reportLocation } from "../database/drivers.ts";
import { behind, isEmpty, migrate, pending } from "../database/migrate.ts";
import type { Check, Query, Store } from "../database/port.ts";
import * as jobs from "../jobs/store.ts";
import { checkLedger, repairBalances } from "../ledger/checks.ts";
import { fileSize, freeBytes } from "../lib/free-space.ts";
import { createIds } from "../lib/ids.ts";
import * as mails from "../mail/store.ts";
import * as connections from "../playtests/publications/connections-store.ts";
import * as publications from "../playtests/publications/store.ts";
import * as search from "../search/store.ts";
import { blobsBeside, configuredBucket } from "../uploads/configured-blobs.ts";
import { deletionCheck, queueDeletions, strayCheck, uploadCheck, waitingCheck } from "./doctor-files.ts";
import { keyCheck } from "./keys/identity.ts";
import { movedChecks, requireNotMoved } from "./move/moved.ts";
import { sendTestMail, type TestMail } from "./test-mail.ts";
import { keepCopy } from "./upgrade.ts";
import { planUpgrade, type UpgradePlan } from "./upgrade-plan.ts";

export interface DoctorOptions extends DataLocationOptions {
  ledger: boolean;
  /** Also repairs what can be repaired. With SQLite, the server must be stopped for that. */
  fix: boolean;
  /** An email to send, as the server would. */
  testMail?: TestMail | undefined;
  /** Current time in milliseconds, to compare with the database's clock. */
  now: number;
}

/** Checks a database and its files, whether a server runs on them or not. Throws ConfigError when there is no database. */
export async function doctor(options: DoctorOptions): Promise<Check[]> {
  const location = locate(options);
  const repairs = options.fix ? await repair(location, options.now) : [];
  const { check: configuration, config } = await configCheck(options, location);
  const store = await open(location, true, config?.database.readUrl ?? undefined);
  try {
    const space = await spaceCheck(location.dataDir, config ?? defaults);
    const known = [...locationChecks(location), configuration, space, ...repairs];
    if (options.testMail && config) known.push(await sendTestMail(config, location.dataDir, options.testMail));
    const basic = await store.check({ thorough: true, now: options.now });
    // Of a damaged file, nothing else can be read.
    if (basic.some(({ name, ok }) => name === "integrity" && !ok)) return [...known, ...basic];
    const behind = await pending(store);
    const schema = { name: "schema", ok: behind.length === 0, detail: behind.length === 0 ? "up to date" : waiting(behind) };
    const checks = [...basic, schema, ...fileChecks(location)];
    const key = { store, dataDir: location.dataDir, secretKey: options.env.PLAYTEST_SECRET_KEY, randomBytes };
    if (schema.ok) checks.push(...(await store.read(movedChecks)), await keyCheck(key));
    if (schema.ok) checks.push(await store.read(jobCheck), ...(await store.read((q) => backupCheck(q, options.now))));
    if (schema.ok) checks.push(...(await storedChecks(store, location.dataDir, config ?? defaults, options)));
    if (schema.ok) checks.push(await store.read((q) => deletionCheck(q, options.now)));
    if (schema.ok) checks.push(await store.read(mailCheck), await store.read(searchCheck), await store.read(checkAudit));
    if (schema.ok) checks.push(await store.read((q) => publicationCheck(q, options.now, (config ?? defaults).publishing)));
    if (schema.ok) checks.push(await store.read((q) => signedPaymentCheck(q, options.now)));
    if (options.ledger && schema.ok) checks.push(...(await store.read(checkLedger)));
    return [...known, ...checks];
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

/** Files in the store of the configuration. A bucket that does not answer is a finding, not the end of all checks. */
async function storedChecks(
  store: Pick<Store, "read">,
  dataDir: string,
  config: Pick<Config, "blobs">,
  { env, now }: DoctorOptions,
): Promise<Check[]> {
  const reach = { env, now: () => now };
  try {
    const bucket = await configuredBucket(config, reach);
    const blobs = await blobsBeside(dataDir, bucket);
    const basic = bucket === undefined ? [] : [await (await loadBucketCheck()).checkBucket(bucket, reach.now)];
    if (basic.some(({ ok }) => !ok)) return [...basic, ...(await waitingCheck(blobs))];
    return [
      ...basic,
      ...(await waitingCheck(blobs)),
      await store.read((q) => uploadCheck(q, dataDir, blobs)),
      await store.read((q) => strayCheck(q, dataDir, blobs, now)),
    ];
  } catch (error) {
    if (!isOfBucket(error)) throw error;
    return [{ name: "storage", ok: false, detail: error.message, help: "Correct blobs.address or the credentials." }];
  }
}

/** Missing credentials, or an answer of the bucket; those errors are loaded only with what speaks to buckets. */
const isOfBucket = (error: unknown): error is Error =>
  error instanceof ConfigError || (error instanceof Error && ["BucketAway", "ApiError", "S3Error"].includes(error.name));

const loadBucketCheck = () => import("../uploads/s3/check.ts");

export interface Migrated {
  /** The names of the migrations that ran. */
  applied: string[];
  /** The copy of the database as it was before; null when none was made. */
  copy: string | null;
  location: LocationReport;
}

/** Brings the database up to date, after a copy of it was made. */
export async function migrateDatabase(options: DataLocationOptions & { backup: boolean }): Promise<Migrated> {
  const location = locate(options);
  const store = await open(location, false);
  try {
    await requireInUse(store);
    const applied = (await pending(store)).map(({ name }) => name);
    const older = await behind(store);
    const copy = older && options.backup ? await keepCopy(location, older) : null;
    await migrate(store);
    return { applied, copy, location: reportLocation(location) };
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

/** What `migrateDatabase` would change. Changes nothing; the server may be running. */
export async function checkUpgrade(options: DataLocationOptions): Promise<UpgradePlan & { location: LocationReport }> {
  const location = locate(options);
  const store = await open(location, true);
  try {
    await requireInUse(store);
    return { ...(await planUpgrade(store, location)), location: reportLocation(location) };
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
}

/** An empty database has nothing that could have been moved. */
async function requireInUse(store: Store): Promise<void> {
  if (!(await isEmpty(store))) await store.read((q) => requireNotMoved(q, { outcome: "Nothing was changed." }));
}

const waiting = (migrations: readonly { name: string }[]) =>
  `${migrations.map(({ name }) => name).join(", ")} not applied yet: start the server, or run \`playtest serve migrate\``;

/** The data location that is checked, and what selected it. */
function locationChecks(location: DatabaseLocation): Check[] {
  const { database, databaseFrom, dataDir, dataDirFrom } = reportLocation(location);
  return [
    { name: "database", ok: true, detail: `${database} (${databaseFrom})` },
    { name: "data_directory", ok: true, detail: `${dataDir} (${dataDirFrom})` },
  ];
}

async function configCheck(
  { env, config: file }: DataLocationOptions,
  { dataDir }: DatabaseLocation,
): Promise<{ check: Check; config?: Config }> {
  try {
    const config = await readConfig(env, dataDir, file);
    return { check: { name: "configuration", ok: true, detail: "valid" }, config };
  } catch (error) {
    return { check: { name: "configuration", ok: false, detail: "not valid", help: (error as Error).message } };
  }
}

/** The free space of the data folder, compared with what uploads leave and with what the server itself needs. */
async function spaceCheck(dataDir: string, { uploads, http }: Pick<Config, "uploads" | "http">): Promise<Check> {
  const name = "disk_space";
  const free = await freeBytes(dataDir);
  const detail = `${fileSize(free)} free in ${dataDir}`;
  if (free < http.readyMinFreeBytes) {
    const help = `The server reports at /readyz that it is not ready with less than ${fileSize(http.readyMinFreeBytes)} (http.readyMinFreeBytes), and can soon write nothing. Free some space, or move the data to a larger disk.`;
    return { name, ok: false, detail, help };
  }
  if (free >= uploads.minFreeBytes) return { name, ok: true, detail };
  return { name, ok: true, warning: true, detail: `${detail}: uploads are refused below ${fileSize(uploads.minFreeBytes)}` };
}

async function open(location: DatabaseLocation, readOnly: boolean, readUrl?: string): Promise<Store> {
  const { driver, dataDir } = location;
  if (readOnly && !hasDatabase(location))
    throw new ConfigError(`No playtest database found in ${dataDir}. Nothing was changed. Pass the data directory with --data.`);
  const opened = readOnly ? driver.inspect(location, { readUrl }) : driver.open(location, { patient: true });
  return opened.catch((error) => Promise.reject(refused(error)));
}

/** A database that cannot be opened or read is reported as a problem of the configuration, not as a bug of this program. */
function refused(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new ConfigError(message, { cause: error }), { exitCode: 1 });
}

/** Files with keys and personal data, which only their owner may read. */
const privateFiles = [...fileDrivers.map(({ file }) => file!.names[0]), "instance.key", "config.json"];

function exposedFiles(dataDir: string): string[] {
  if (process.platform === "win32" || !existsSync(dataDir)) return [];
  const files = readdirSync(dataDir).filter((name) => privateFiles.some((start) => name.startsWith(start)));
  return files.map((name) => join(dataDir, name)).filter((file) => (statSync(file).mode & 0o077) !== 0);
}

function fileChecks({ dataDir }: DatabaseLocation): Check[] {
  if (process.platform === "win32") return [];
  const exposed = exposedFiles(dataDir);
  const detail =
    exposed.length === 0
      ? "readable by their owner only"
      : `other users can access ${exposed.join(", ")}; \`--fix\` makes them private`;
  return [{ name: "file_modes", ok: exposed.length === 0, detail }];
}

/** Jobs that failed too often are kept until they are requeued. */
async function jobCheck(q: Query): Promise<Check> {
  const kinds = await jobs.deadJobs(q);
  if (kinds.length === 0) return { name: "jobs", ok: true, detail: "no failed jobs" };
  return {
    name: "jobs",
    ok: false,
    detail: kinds.map(({ kind, count, last_error }) => `${count} × ${kind} failed (${last_error})`).join("; "),
    help: "These background jobs failed 25 times over several days and are not retried. `playtest admin jobs` lists what each was for. Remove the cause, then run `playtest admin jobs retry --all`, or requeue them with `--fix`.",
  };
}

/** The backups that the server makes by itself, if it does. */
async function backupCheck(q: Query, now: number): Promise<Check[]> {
  const state = await backups.find(q);
  if (!state) return [];
  const name = "backups";
  const problem = backups.problemOf(state, now);
  if (problem !== undefined) {
    const help =
      "Remove the cause: the server tries again every quarter of an hour. To make one at once, run `playtest serve backup`.";
    return [{ name, ok: false, detail: problem, help }];
  }
  const { doneAt, file, to } = state;
  if (doneAt === undefined) return [{ name, ok: true, warning: true, detail: `the server has made none in ${to} yet` }];
  return [{ name, ok: true, detail: `the last one is ${file}, made at ${new Date(doneAt).toISOString()}` }];
}

/** Emails that were refused, or are tried again. */
async function mailCheck(q: Query): Promise<Check> {
  const { failed, waiting } = await mails.countUndelivered(q);
  if (failed + waiting === 0) return { name: "mail", ok: true, detail: "no email failed or is being retried" };
  const counts = [...(failed > 0 ? [`${failed} failed`] : []), ...(waiting > 0 ? [`${waiting} will be retried`] : [])];
  const detail = `emails that could not be sent: ${counts.join(", ")}. The newest reason: ${(await mails.newestUndelivered(q))?.error}`;
  const help =
    "Remove the cause at the mail server, then run `playtest admin mail retry --all`. `playtest admin mail list --state failed` lists them.";
  return { name: "mail", ok: failed === 0, ...(failed === 0 && { warning: true }), detail, help };
}

/** Videos that were given up wait for nobody: they are on the own page. What was not deleted on its platform can still be watched there. */
async function publicationCheck(q: Query, now: number, { to }: Config["publishing"]): Promise<Check> {
  const name = "publications";
  const faults = await publications.faultsAt(q, now);
  if (faults.length > 0) {
    const help =
      "A playtester may be unpaid, or a video public that should not be. Look at the log of the server, then at `playtest admin jobs`.";
    return { name, ok: false, detail: faults.map(({ slot_id, fault }) => `slot ${slot_id} ${fault}`).join("; "), help };
  }
  if (to !== "own" && !(await connections.find(q, to))) {
    const detail = `publishing.to is ${to}, but no account is connected: run \`playtest admin publishing connect ${to}\`. The server's own pages show the videos after publishing.maxWaitMs`;
    return { name, ok: true, warning: true, detail };
  }
  const { troubled, reason } = await publications.countTroubled(q);
  if (troubled === 0) return { name, ok: true, detail: "every published video is where it should be" };
  const detail = `${plural(troubled, "video")} not published or deleted by a platform: ${reason} \`playtest admin publishing list --state troubled\` shows each`;
  return { name, ok: true, warning: true, detail };
}

const hourMs = 3_600_000;

/** Signed payments end by themselves, once the final blocks of their chain reach beyond them. */
export async function signedPaymentCheck(q: Query, now: number): Promise<Check> {
  const name = "signed_payments";
  const settling = await signedPayments.listSettling(q);
  const late = settling.filter(({ valid_before: end }) => end < now - hourMs);
  if (late.length === 0) return { name, ok: true, detail: `${plural(settling.length, "signed payment")} being settled` };
  const [oldest] = late;
  const errors = await jobs.queuedErrors(q, "end-signed-payment");
  const reason = errors.find(({ last_error }) => last_error !== null)?.last_error ?? "none yet";
  return {
    name,
    ok: false,
    detail: `${plural(late.length, "signed payment")} without an end for more than an hour, the oldest on ${oldest!.chain} with the nonce ${oldest!.nonce}`,
    help: `It is not known whether they were paid. The server asks the chain every minute; the reason at the last try of one of them: ${reason}. Check that the server runs, and the node of the chain (crypto.<chain>.rpcUrl).`,
  };
}

/** The index of the search is made from other rows and from files: at worst it is made again. */
async function searchCheck(q: Query): Promise<Check> {
  const name = "search";
  const [passages, owners] = [await search.countBroken(q), await search.countMiscounted(q)];
  if (passages + owners > 0) {
    const help = "Make the index again with `--fix`: a server fills it when it starts, and searches find only a part until then.";
    const detail =
      passages > 0
        ? `${plural(passages, "incomplete passage")} in the index`
        : `${plural(owners, "game owner")} with other words in the index than in their texts`;
    return { name, ok: false, detail, help };
  }
  const waiting = await search.countUnindexed(q);
  if (waiting === 0) return { name, ok: true, detail: "every video, finding and name is indexed" };
  const detail = `searches do not find ${waiting} of the videos, findings and names yet: the server indexes the newest first after it starts`;
  return { name, ok: true, warning: true, detail };
}

async function repair(location: DatabaseLocation, now: number): Promise<Check[]> {
  const done: Check[] = [];
  const note = (detail: string) => done.push({ name: "fixed", ok: true, detail });
  const newId = createIds(() => now, randomBytes);
  const store = await open(location, false);
  try {
    const balances = await store.write(repairBalances);
    if (balances > 0) note(`set ${plural(balances, "balance")} to the sum of the postings`);
    if ((await store.read(search.countBroken)) + (await store.read(search.countMiscounted)) > 0) {
      await store.write(async (tx) => search.clear(tx));
      note("emptied the index of the search: the next start of a server fills it");
    }
    const deletions = await store.write((tx) => queueDeletions(tx, now, newId));
    if (deletions > 0)
      note(
        `queued the removal of what ${plural(deletions, "deleted account")} left behind: the server removes it when it starts`,
      );
    const requeued = await store.write(jobs.requeueDead);
    if (requeued > 0) note(`requeued ${plural(requeued, "failed job")}`);
  } catch (error) {
    throw refused(error);
  } finally {
    await store.close();
  }
  for (const file of exposedFiles(location.dataDir)) {
    chmodSync(file, 0o600);
    note(`made ${file} private`);
  }
  return done;
}
