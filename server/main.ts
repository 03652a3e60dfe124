import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureAdmin } from "./accounts/service.ts";
import { type Running, start } from "./app/start.ts";
import { loadInstanceKey } from "./config/instance-key.ts";
import { ConfigError, readConfig } from "./config/read.ts";
import type { Config } from "./config/schema.ts";
import { checkOptions, type ServeOptions } from "./config/serve-options.ts";
import { createClock } from "./database/clock.ts";
import { type DatabaseLocation, fileDrivers, locate, reportLocation } from "./database/drivers.ts";
import { openStore } from "./database/open.ts";
import { createLog } from "./lib/log.ts";
import { createMailer } from "./mail/create.ts";
import { isHalfRestored } from "./operations/archive/swap.ts";
import { seedDemo } from "./sandbox/demo.ts";

/** The process, as far as serving needs it. */
export interface ServeHost {
  env: Record<string, string | undefined>;
  pid: number;
  isTTY: boolean;
  write(text: string): void;
  /** Calls back on SIGINT and SIGTERM; the result undoes it. */
  onSignal(listener: (signal: "SIGINT" | "SIGTERM") => void): () => void;
}

const defaultPort = 4747;

/** Serves until a signal, or until the `exec` command ends: then its exit code is the result. Throws ConfigError. */
export async function serve(options: ServeOptions, host: ServeHost): Promise<number> {
  checkOptions(options);
  const location = chooseLocation(options, host.env);
  try {
    const running = await open(options, host, location);
    try {
      const ready = await makeReady(options, host, running);
      host.write(banner(options, running, location, ready));
      return await (options.exec === undefined
        ? untilSignal(host, running)
        : runCommand(options.exec, host, running, ready.ownerKey));
    } finally {
      await running.close();
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
  mkdirSync(location.dataDir, { recursive: true, mode: 0o700 });
  return { ...location, temporary: false };
}

async function configFor(options: ServeOptions, host: ServeHost, dataDir: string): Promise<Config> {
  const config = await readConfig(host.env, dataDir, options.config);
  config.version = options.version;
  config.sandbox = options.sandbox === true || options.seed !== undefined;
  config.autoVerify = config.sandbox && options.autoVerify !== false;
  if (options.rateLimit === "off") config.limits.enabled = false;
  else if (options.rateLimit !== undefined)
    Object.assign(config.limits, { keyPerMinute: options.rateLimit, keyBurst: Math.max(1, Math.ceil(options.rateLimit / 6)) });
  return config;
}

async function open(options: ServeOptions, host: ServeHost, { dataDir, databaseUrl }: DatabaseLocation): Promise<Running> {
  if (isHalfRestored(dataDir))
    throw new ConfigError(
      `A restore into ${dataDir} was cut off. What was there before is in its newest folder replaced-…. Run \`playtest serve restore\` again before starting the server.`,
    );
  const config = await configFor(options, host, dataDir);
  const log = await createLog({
    level: options.logLevel ?? "info",
    text: (options.log ?? (host.isTTY ? "text" : "json")) === "text",
    write: host.write,
  });
  const instanceKey = loadInstanceKey(host.env.PLAYTEST_SECRET_KEY, dataDir, randomBytes);
  if (options.behindProxy && config.http.trustedProxies.length === 0)
    log.warn({}, "every caller behind the proxy counts as one for the limits: name its address by PLAYTEST_TRUSTED_PROXIES");
  const store = await openStore({ dataDir, log, ...(databaseUrl !== undefined && { databaseUrl }) });
  try {
    const clock = await createClock(store, Date.now, config.sandbox);
    const mailer = createMailer(config.mail, join(dataDir, "outbox"));
    const outside = { config, store, clock, randomBytes, instanceKey, mailer, log, dataDir };
    const where = { host: options.host ?? "127.0.0.1", port: options.port ?? defaultPort, publicUrl: options.publicUrl };
    return await start({ ...where, outside });
  } catch (error) {
    await store.close();
    throw explained(error, options);
  }
}

function explained(error: unknown, options: ServeOptions): unknown {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return error;
  const refused = new Error(
    `Port ${options.port ?? defaultPort} is in use. Choose another with --port, or --port 0 for any free one.`,
    { cause: error },
  );
  return Object.assign(refused, { name: "ConfigError", exitCode: 1 });
}

interface Ready {
  baseUrl: string;
  pid: number;
  adminKey: string | null;
  ownerKey?: string;
  testerKeys?: string[];
  gameId?: string;
}

/** The first admin, the demo and the ready file, once the server accepts requests. */
async function makeReady(options: ServeOptions, host: ServeHost, running: Running): Promise<Ready> {
  const ready: Ready = { baseUrl: running.baseUrl, pid: host.pid, adminKey: await ensureAdmin(running.deps) };
  if (options.seed === "demo") {
    if (ready.adminKey === null)
      throw new ConfigError(
        "--seed demo is for a new database, and this one is in use. Choose another --data folder, or --ephemeral.",
      );
    Object.assign(ready, await seedDemo(running.deps));
  }
  if (options.readyFile !== undefined) {
    // Whoever waits for the file must never read half of it.
    writeFileSync(`${options.readyFile}.part`, `${JSON.stringify(ready)}\n`, { mode: 0o600 });
    renameSync(`${options.readyFile}.part`, options.readyFile);
  }
  return ready;
}

function banner(options: ServeOptions, running: Running, location: ServedLocation, { adminKey, ownerKey }: Ready): string {
  const { config, mailer } = running.deps;
  const { database, databaseFrom, dataDir, dataDirFrom } = reportLocation(location);
  const outbox = `${join(dataDir, "outbox")} (set PLAYTEST_SMTP_URL to send emails)`;
  const lines = [
    `playtest ${config.version} serves ${running.baseUrl}`,
    `  mode      ${config.sandbox ? "SANDBOX: no real money, routes without an API key, an adjustable clock" : "live"}`,
    `  database  ${database} (${databaseFrom})`,
    `  data      ${dataDir} (${dataDirFrom}${location.temporary ? ", deleted on exit" : ""})`,
    `  email     ${mailer.name === "outbox" ? outbox : mailer.name}`,
  ];
  if (showsKeys(options)) {
    if (adminKey !== null) lines.push(`  admin     ${adminKey}  (shown once)`);
    if (ownerKey !== undefined) lines.push(`  owner     ${ownerKey}  (the demo's PLAYTEST_API_KEY)`);
  }
  return `${lines.join("\n")}\n`;
}

/** Not to a log whose command has the key in its environment, on a server that ends with it. */
const showsKeys = ({ readyFile, ephemeral, exec }: ServeOptions) => readyFile === undefined && !(ephemeral && exec !== undefined);

function untilSignal(host: ServeHost, running: Running): Promise<number> {
  return new Promise((resolve) => {
    let signals = 0;
    const off = host.onSignal(() => {
      if (++signals > 1) return;
      off();
      running.deps.log.info({}, "stopping: finishing what is in flight");
      resolve(0);
    });
  });
}

/** Runs a command against the server through the shell; what it needs to know is in its environment. */
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
