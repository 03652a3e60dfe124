import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ensureAdmin } from "./accounts/service.ts";
import { hasRole } from "./accounts/users-store.ts";
import { banner, type Ready } from "./app/banner.ts";
import { certificateFrom } from "./app/certificate.ts";
import type { Listening, Place } from "./app/listen.ts";
import { requireFreePort } from "./app/port.ts";
import { passedSocket, serviceManager } from "./app/service-manager.ts";
import { metricsAddress, type Running, serverAddress, start } from "./app/start.ts";
import { createCards } from "./billing/cards/create.ts";
import { requireReceivers } from "./billing/crypto/receivers.ts";
import { requireFonts } from "./billing/invoices/fonts.ts";
import { readBrand } from "./config/brand.ts";
import { findInstanceKey } from "./config/instance-key.ts";
import { listeningAddresses, requireNearbyPeers } from "./config/proxy-trust.ts";
import { ConfigError, readConfig } from "./config/read.ts";
import type { Config } from "./config/schema.ts";
import { checkHost, checkOptions, type ServeOptions } from "./config/serve-options.ts";
import { createClock } from "./database/clock.ts";
import { type DatabaseLocation, fileDrivers, locate } from "./database/drivers.ts";
import { type Behind, behind } from "./database/migrate.ts";
import { openStore } from "./database/open.ts";
import { whenAvailable } from "./database/wait.ts";
import { makeWritableFolder, requireWritable } from "./lib/folders.ts";
import { loadLateParts } from "./lib/late.ts";
import { createLog, type Log } from "./lib/log.ts";
import { type Tracer, wantsTraces } from "./lib/trace.ts";
import { createMailer } from "./mail/create.ts";
import { isHalfRestored } from "./operations/archive/swap.ts";
import { backUpByCommand, type RunCommand } from "./operations/backups/command.ts";
import { refuseOthers, requireIdentity } from "./operations/keys/identity.ts";
import { watchKeys } from "./operations/keys/watch.ts";
import { requireNotMoved } from "./operations/move/moved.ts";
import { keepCopy, removeOldCopies } from "./operations/upgrade.ts";
import { watchClock } from "./operations/watch-clock.ts";
import { seedDemo } from "./sandbox/demo.ts";
import { sampleTranscriber } from "./sandbox/sample-transcriber.ts";
import { seedMinimal } from "./sandbox/seed-minimal.ts";
import { configuredBucket } from "./uploads/configured-blobs.ts";

/** What serving needs from the process. */
export interface ServeHost {
  env: Record<string, string | undefined>;
  pid: number;
  isTTY: boolean;
  /** Runs another command of this program beside the server. */
  runCommand: RunCommand;
  write(text: string): void;
  /** Calls `listener` on SIGINT and SIGTERM. Returns the function that removes it. */
  onSignal(listener: (signal: Signal) => void): () => void;
}

type Signal = "SIGINT" | "SIGTERM";

const defaultPort = 4747;
const hostOf = ({ host }: ServeOptions) => host ?? "127.0.0.1";
const portOf = ({ port }: ServeOptions) => port ?? defaultPort;

function placeOf(options: ServeOptions, { env, pid }: ServeHost): Place {
  const fd = passedSocket(env, pid);
  return fd === undefined ? { host: hostOf(options), port: portOf(options) } : { fd };
}

/** Throws ConfigError where a socket of systemd is not what the flags say, or not one that a server may use. */
async function checkSocket(options: ServeOptions, config: Config, { address, port }: Listening): Promise<void> {
  const named = options.host === "localhost" ? ["127.0.0.1", "::1"] : [options.host ?? address];
  if (!named.includes(address) || (options.port ?? port) !== port)
    throw new ConfigError(
      `The socket of systemd listens on ${address}, port ${port}, and --host or --port says otherwise. The server was not started. Leave them out.`,
    );
  checkHost(address, options);
  await checkPeers(config, address);
}

async function checkPeers(config: Config, host: string): Promise<void> {
  if (config.behindProxy && config.http.trustedProxies.length === 0) requireNearbyPeers(host, await listeningAddresses(host));
}

/** Serves until a signal arrives or the `exec` command ends, whose exit code is then the result. Throws ConfigError. */
export async function serve(options: ServeOptions, host: ServeHost): Promise<number> {
  checkOptions(options);
  if (options.readyFile !== undefined) requireReplaceable(options.readyFile);
  const place = placeOf(options, host);
  if ("host" in place) await requireFreePort(serverAddress(place));
  const location = chooseLocation(options, host.env);
  if (options.readyFile !== undefined) removeOutdated(options.readyFile, host.pid);
  try {
    const running = await open(options, host, location, place);
    const manager = serviceManager(host.env, running.deps.log);
    let stopped: Signal | undefined;
    try {
      const ready = await makeReady(options, host, running);
      manager.ready();
      host.write(banner({ options, isTTY: host.isTTY, running, location, ready, keepAdminKey }));
      void loadRest(running.deps);
      if (options.exec !== undefined) return await runCommand(options.exec, host, running, ready.ownerKey);
      stopped = await untilSignal(host, running);
      return 0;
    } finally {
      manager.stopping();
      await running.close(stopped === "SIGTERM" ? { graceMs: graceMs(options, running.deps.config) } : {});
    }
  } finally {
    if (location.temporary) rmSync(location.dataDir, { recursive: true, force: true });
  }
}

interface ServedLocation extends DatabaseLocation {
  temporary: boolean;
}

function chooseLocation(options: ServeOptions, env: ServeHost["env"]): ServedLocation {
  if (options.ephemeral) {
    const dataDir = mkdtempSync(join(tmpdir(), "playtest-"));
    const from = "--ephemeral";
    return { dataDir, dataDirFrom: from, databaseUrl: undefined, databaseFrom: from, driver: fileDrivers[0]!, temporary: true };
  }
  const location = locate({ ...options, env });
  if (isFile(location.dataDir))
    throw new ConfigError(`${location.dataDir} is not a folder. Nothing was changed. Choose another data directory with --data.`);
  return { ...location, temporary: false };
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

async function configFor(options: ServeOptions, host: ServeHost, dataDir: string): Promise<Config> {
  const config = await readConfig(host.env, dataDir, options.config);
  config.version = options.version;
  config.sandbox = options.sandbox === true || options.seed !== undefined;
  config.behindProxy = options.behindProxy === true;
  if (passedSocket(host.env, host.pid) === undefined) await checkPeers(config, hostOf(options));
  config.autoVerify = config.sandbox && options.autoVerify !== false;
  if (options.blobs !== undefined) config.blobs.address = options.blobs;
  applyBackup(options, config);
  if (options.rateLimit === "off") config.limits.enabled = false;
  else if (options.rateLimit !== undefined)
    Object.assign(config.limits, { keyPerMinute: options.rateLimit, keyBurst: Math.max(1, Math.ceil(options.rateLimit / 6)) });
  return config;
}

function applyBackup({ backupTo, backupEvery, backupKeep }: ServeOptions, { backup }: Config): void {
  if (backupTo !== undefined) backup.to = resolve(backupTo);
  if (backupEvery !== undefined) backup.everyMs = backupEvery;
  if (backupKeep !== undefined) backup.keep = backupKeep;
  if (backup.to === null && (backupEvery ?? backupKeep) !== undefined)
    throw new ConfigError(
      "--backup-every and --backup-keep need a folder for the backups. The server was not started. Pass --backup-to.",
    );
}

async function open(options: ServeOptions, host: ServeHost, location: DatabaseLocation, place: Place): Promise<Running> {
  const { dataDir, databaseUrl } = location;
  if (isHalfRestored(dataDir))
    throw new ConfigError(
      `A restore into ${dataDir} was interrupted. The server was not started. The previous data is in its newest folder replaced-…. Run \`playtest serve restore\` again before starting the server.`,
    );
  const config = await configFor(options, host, dataDir);
  await requireMetricsPort(config, place);
  const log = await createLog({
    level: options.logLevel ?? "info",
    text: (options.log ?? (host.isTTY ? "text" : "json")) === "text",
    write: host.write,
  });
  const { tlsCert, tlsKey } = options;
  const certificate = tlsCert !== undefined && tlsKey !== undefined ? certificateFrom(tlsCert, tlsKey, log) : undefined;
  if (!certificate) warnOfMissingProxy(options, config, log);
  refuseStandby(config, databaseUrl);
  // What can be refused without the database is refused before it is opened.
  const bucket = await configuredBucket(config, { env: host.env, now: Date.now });
  const tracer = await createTracer(host.env, config.version, log);
  const [cards, mailer] = [await createCards(config), createMailer(config.mail, join(dataDir, "outbox"))];
  readBrand(config, dataDir);
  requireFonts(config.invoices.fonts);
  await requireReceivers(config);
  findInstanceKey(host.env.PLAYTEST_SECRET_KEY, dataDir);
  makeWritableFolder(dataDir);
  const identity = { dataDir, sandbox: config.sandbox, secretKey: host.env.PLAYTEST_SECRET_KEY, randomBytes };
  const openDatabase = () =>
    openStore({
      ...{ databaseUrl, dataDir, log, readUrl: config.database.readUrl ?? undefined },
      async beforeChange(store) {
        await store.read((q) => requireNotMoved(q, { outcome: "The server was not started." }));
        await refuseOthers({ ...identity, store });
        if (options.seed !== undefined && (await store.read((q) => hasRole(q, "admin")))) throw notNew(options.seed);
        const older = await behind(store);
        if (older) await prepareUpgrade(options, location, older, log);
      },
    });
  const store = await untilStopped(host, (signal) =>
    whenAvailable(openDatabase, { waitMs: options.waitForDatabase ?? 0, log, signal, now: Date.now }),
  );
  try {
    // Retention does it as well, but a sandbox has none.
    await removeOldCopies(dataDir, Date.now());
    const instanceKey = await requireIdentity({ ...identity, store });
    const clock = await createClock(store, Date.now, config.sandbox);
    const transcriber = options.seed === "demo" ? { transcriber: sampleTranscriber } : {};
    const backUp = backUpByCommand(host.runCommand, location, config, options.config);
    const external = {
      ...transcriber,
      cards,
      config,
      store,
      clock,
      randomBytes,
      instanceKey,
      mailer,
      log,
      dataDir,
      bucket,
      tracer,
      backUp,
    };
    const where = { place, certificate, ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }) };
    const onListening = (listening: Listening) => ("fd" in place ? checkSocket(options, config, listening) : Promise.resolve());
    const running = await start({ ...where, external, onListening });
    const stopWatching = watchKeys({ store, dataDir, ring: instanceKey, log, randomBytes });
    const forgetClock = store.shared ? watchClock({ store, log, now: Date.now }) : () => {};
    const close: Running["close"] = async (how) => {
      forgetClock();
      await stopWatching();
      await running.close(how);
    };
    return { ...running, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function requireMetricsPort(config: Config, place: Place): Promise<void> {
  const address = metricsAddress(config);
  if (address === undefined) return;
  if ("host" in place && address.port === place.port && overlap(address.host, place.host))
    throw new ConfigError(
      `metrics.port is ${address.port}, on which the server itself listens. Nothing was started or created. Choose another port with metrics.port.`,
    );
  await requireFreePort(address);
}

const overlap = (one: string, other: string) => one === other || [one, other].some((host) => host === "0.0.0.0" || host === "::");

function warnOfMissingProxy({ publicUrl }: ServeOptions, { behindProxy, http }: Config, log: Log): void {
  if (behindProxy || http.trustedProxies.length > 0 || !publicUrl?.startsWith("https:")) return;
  log.warn(
    {},
    "all clients share one rate limit: an https address requires a proxy in front of the server, so start with --behind-proxy",
  );
}

/** Loads the packages only where traces are collected. */
async function createTracer(env: ServeHost["env"], version: string, log: Log): Promise<Tracer | null> {
  if (!wantsTraces(env)) return null;
  const opentelemetry = await import("./metrics/opentelemetry.ts");
  return opentelemetry.createTracer({ version, log, now: Date.now });
}

function refuseStandby({ database }: Config, databaseUrl: string | undefined): void {
  if (database.readUrl === null || databaseUrl !== undefined) return;
  throw new ConfigError(
    "database.readUrl is set, but SQLite has no standby. The server was not started. Remove the setting, or name the PostgreSQL database with --database-url.",
  );
}

/** Before the migrations that are pending are applied. */
async function prepareUpgrade({ backup }: ServeOptions, location: DatabaseLocation, older: Behind, log: Log): Promise<void> {
  const migrations = older.pending.length;
  const copy = backup === false ? null : await keepCopy(location, older);
  if (copy !== null) log.info({ copy, migrations }, "the database is brought up to date; a copy of it is kept for 14 days");
  else log.info({ migrations }, "the database is brought up to date without a copy of it");
}

/** How long (ms) after the start the rest of the program is loaded: the first requests should not wait for it. */
const restAfterMs = 1_000;

async function loadRest({ log, wait, retiring }: Running["deps"]): Promise<void> {
  try {
    await wait(restAfterMs, retiring);
    await loadLateParts(retiring);
  } catch (error) {
    if (!retiring.aborted)
      log.error(
        { err: error },
        "a part of the program could not be loaded, so some pages may fail: install it again and restart",
      );
  }
}

/** Creates the first admin, the demo data and the ready file, after the server started to accept requests. */
async function makeReady(options: ServeOptions, host: ServeHost, running: Running): Promise<Ready> {
  const ready: Ready = { baseUrl: running.baseUrl, pid: host.pid, adminKey: await ensureAdmin(running.deps) };
  if (options.seed !== undefined) {
    if (ready.adminKey === null) throw notNew(options.seed);
    const seeding = { deps: running.deps, callAs: running.app.callAs, adminKey: ready.adminKey };
    Object.assign(ready, await (options.seed === "demo" ? seedDemo : seedMinimal)(seeding));
  }
  if (options.readyFile !== undefined) writeSecret(options.readyFile, `${JSON.stringify(ready)}\n`);
  return ready;
}

const notNew = (seed: string) =>
  new ConfigError(
    `--seed ${seed} requires a new database, and this one already has data. Nothing was changed. Choose another --data folder, or pass --ephemeral.`,
  );

/** Removes the ready file of an earlier server: whoever waits for that of this one must not go on with its keys. One that still runs keeps it. */
function removeOutdated(path: string, own: number): void {
  try {
    const { pid } = JSON.parse(readFileSync(path, "utf8")) as Partial<Ready>;
    if (typeof pid === "number" && pid !== own && process.kill(pid, 0)) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPERM") return;
  }
  rmSync(path, { force: true });
}

/** Throws where `writeSecret` could not write: the keys that it is to hold are made once, and nobody would read them. */
function requireReplaceable(path: string): void {
  const folder = dirname(resolve(path));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`--ready-file ${path}: there is no folder ${folder}. The server was not started. Create it first.`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`--ready-file ${path} is a folder. The server was not started. Give the path of a file.`);
  requireWritable(folder);
}

/**
 * Replaces a file by one that only this user can read. Written under a new name first: a program that waits for the file must never
 * read half of it, and a file or link that somebody else put there must not get the secret.
 */
function writeSecret(path: string, text: string): void {
  const part = `${path}.${randomBytes(8).toString("hex")}.part`;
  writeFileSync(part, text, { mode: 0o600, flag: "wx" });
  renameSync(part, path);
}

/** Where the key is kept: what is no terminal may be a log, which others read and which is kept for long. */
function keepAdminKey(dataDir: string, adminKey: string): string {
  const path = join(dataDir, "admin-key");
  writeSecret(path, `${adminKey}\n`);
  return `its API key is in ${path} (move it to a safe place)`;
}

/** Runs `work`, which a signal to this process ends. */
async function untilStopped<T>(host: ServeHost, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const off = host.onSignal(() =>
    stop.abort(new ConfigError("The server was stopped before its database answered. Nothing was changed.")),
  );
  try {
    return await work(stop.signal);
  } finally {
    off();
  }
}

function untilSignal(host: ServeHost, running: Running): Promise<Signal> {
  return new Promise((resolve) => {
    let signals = 0;
    const off = host.onSignal((signal) => {
      if (++signals > 1) return;
      off();
      running.deps.log.info({}, "stopping: finishing requests in progress");
      resolve(signal);
    });
  });
}

/** Nobody balances load over sandboxes, and whoever presses Ctrl-C waits. */
const graceMs = ({ drain }: ServeOptions, { sandbox, http }: Config) => drain ?? (sandbox ? 0 : http.graceMs);

/** Runs a shell command with the server's URL and the demo's API key in its environment. */
function runCommand(command: string, host: ServeHost, running: Running, ownerKey: string | undefined): Promise<number> {
  const env = {
    ...host.env,
    PLAYTEST_BASE_URL: running.baseUrl,
    ...(ownerKey === undefined ? {} : { PLAYTEST_API_KEY: ownerKey }),
  };
  const child = spawn(command, { shell: true, stdio: "inherit", env });
  const off = host.onSignal((signal) => child.kill(signal));
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  }).finally(off);
}
