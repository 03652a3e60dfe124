import { setTimeout as pause } from "node:timers/promises";
import { owed } from "../admin/store.ts";
import { endAllSettling } from "../billing/crypto/signed/end.ts";
import { watchChains } from "../billing/crypto/watch.ts";
import { issueMissing } from "../billing/invoices/service.ts";
import type { Config } from "../config/schema.ts";
import { ensureCategories } from "../games/default-categories.ts";
import { startLimitExchange } from "../http/limits/exchange.ts";
import { within } from "../lib/within.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { listenForMetrics, type MetricsPort } from "../metrics/serve.ts";
import { deleteListed } from "../operations/backups/deletions.ts";
import { startBackups } from "../operations/backups/job.ts";
import { startLeftovers } from "../operations/leftovers.ts";
import { startRetention } from "../operations/retention.ts";
import { startSweep } from "../operations/sweep.ts";
import { startFilling } from "../search/queue.ts";
import { startPosters } from "../sharing/stills/jobs.ts";
import { serverBlobs } from "../uploads/configured-blobs.ts";
import { startInspecting } from "../uploads/videos/jobs.ts";
import { type App, createApp } from "./app.ts";
import type { Certificate } from "./certificate.ts";
import { createDeps, type External } from "./compose.ts";
import type { Deps } from "./deps.ts";
import { type Listening, listen, type Place } from "./listen.ts";
import { type Address, cannotListen } from "./port.ts";

export interface Running {
  baseUrl: string;
  deps: Deps;
  app: App;
  /**
   * Reports not to be ready for `graceMs` (default 0), drains requests, stops jobs, writes data that was only in memory, and closes the
   * store. After `skipGrace` aborts, the grace period is over.
   */
  close(options?: { graceMs?: number; skipGrace?: AbortSignal }): Promise<void>;
}

/** Binds the ports, builds the app for the resulting address, and starts background jobs. Throws ConfigError for a port that is taken. */
export async function start(options: {
  place: Place;
  certificate?: Certificate | undefined;
  external: Omit<External, "retiring" | "draining" | "metrics">;
  publicUrl?: string;
  /** Called before the first request is answered; throws where the server may not listen there. */
  onListening?(listening: Listening): Promise<void>;
}): Promise<Running> {
  const { external, certificate } = options;
  const stops = { retiring: new AbortController(), draining: new AbortController() };
  const { config } = external;
  const server = await bound("fd" in options.place ? undefined : serverAddress(options.place), () =>
    listen({ ...options.place, certificate, config }),
  );
  let metricsPort: MetricsPort | undefined;
  try {
    await options.onListening?.(server);
    // Before jobs start, which nobody would end where the port is taken.
    metricsPort = await openMetricsPort(config);
    const { deps, app } = await wire(options.publicUrl ?? originOf(options, server), {
      ...external,
      metrics: await createMetrics(config),
      retiring: stops.retiring.signal,
      draining: stops.draining.signal,
    });
    metricsPort?.serve(deps);
    server.serve(app);
    const stopping = { deps, server, metricsPort, ...stops };
    return { baseUrl: deps.config.baseUrl, deps, app, close: (options) => close(stopping, options) };
  } catch (error) {
    // An open port would keep the process running.
    metricsPort?.close();
    await server.close();
    throw error;
  }
}

/** Where the server listens, without a socket of the service manager. */
export const serverAddress = (place: Exclude<Place, { fd: number }>): Address => ({
  ...place,
  names: { host: "--host", port: "--port" },
});

/** Where the metrics have a port of their own. */
export const metricsAddress = ({ metrics: { host, port } }: Pick<Config, "metrics">): Address | undefined =>
  port === null ? undefined : { host, port, names: { host: "metrics.host", port: "metrics.port" } };

async function openMetricsPort(config: Config): Promise<MetricsPort | undefined> {
  const address = metricsAddress(config);
  return address && bound(address, () => listenForMetrics(address.host, address.port));
}

/** What is taken now was free before the database was opened. */
async function bound<T>(address: Address | undefined, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const refusal = error as NodeJS.ErrnoException;
    if (address === undefined || refusal.syscall === undefined) throw error;
    throw cannotListen(address, refusal, "The server was not started.");
  }
}

/** Loads the library only where metrics are wanted. */
async function createMetrics({ metrics: { token, port }, version }: Config): Promise<Metrics | null> {
  if (token === null && port === null) return null;
  return (await import("../metrics/prometheus.ts")).createPrometheus(version);
}

function originOf({ place, certificate }: { place: Place; certificate?: unknown }, { address, port }: Listening): string {
  const host = "host" in place ? place.host : address;
  return `${certificate ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function wire(publicUrl: string, external: External) {
  const baseUrl = publicUrl.replace(/\/$/, "");
  const { dataDir, bucket, clock } = external;
  const blobs = await serverBlobs(dataDir, bucket, { ...external, now: clock.real });
  const deps = createDeps({ ...external, blobs, config: { ...external.config, baseUrl } });
  await ensureCategories(deps);
  await issueMissing(deps);
  if (!deps.config.sandbox) {
    await watchChains(deps);
    await endAllSettling(deps);
    await startRetention(deps);
    await startSweep(deps);
  }
  await deleteListed(deps);
  await startBackups(deps);
  await startFilling(deps);
  await startPosters(deps);
  await startInspecting(deps);
  // Entries of a process that ended before it gave them a place.
  await deps.audit.chain();
  if (!deps.config.payments.enabled) await warnOfDebts(deps);
  const app = createApp(deps);
  deps.jobs.start(deps);
  deps.blobs.remote?.start();
  startLimitExchange(deps);
  startLeftovers(deps);
  return { deps, app };
}

/** A server that no longer takes payments may still owe some. */
async function warnOfDebts(deps: Deps): Promise<void> {
  const { creditCents, payableCents, plans } = await deps.store.read(owed);
  if (creditCents === 0 && payableCents === 0 && plans === 0) return;
  deps.log.warn(
    { creditCents, payableCents, plans },
    "payments are off, but this server still owes credit, earnings or plans from before: see `playtest admin stats`",
  );
}

interface Stopping {
  deps: Deps;
  server: Listening;
  metricsPort: MetricsPort | undefined;
  retiring: AbortController;
  draining: AbortController;
}

/** How long (ms) jobs in progress may take to end, first by themselves and then after their connections were cut. */
const jobsEndMs = 2_000;
const cutOffMs = 500;
/** How long (ms) a collector of traces that does not answer may delay the end. */
const tracesEndMs = 2_000;
/** How long (ms) a database server that does not answer may delay the end. */
const databaseEndMs = 1_000;

async function close(
  { deps, server, metricsPort, retiring, draining }: Stopping,
  { graceMs = 0, skipGrace }: { graceMs?: number; skipGrace?: AbortSignal } = {},
): Promise<void> {
  retiring.abort();
  server.retire();
  // Without it, clients and load balancers that do not know yet would find their connections reset.
  if (graceMs > 0) await pause(graceMs, undefined, skipGrace && { signal: skipGrace }).catch(() => {});
  draining.abort();
  metricsPort?.close();
  await Promise.all([server.close(), within(jobsEndMs, deps.jobs.stop(), undefined)]);
  deps.outbound.close();
  await within(cutOffMs, deps.jobs.stop(), undefined);
  await within(jobsEndMs, deps.blobs.remote?.stop() ?? Promise.resolve(), undefined);
  await deps.mailer.close();
  await within(tracesEndMs, deps.tracer?.close() ?? Promise.resolve(), undefined);
  const saved = save(deps);
  await (deps.store.shared ? within(databaseEndMs, saved, undefined) : saved);
}

async function save(deps: Deps): Promise<void> {
  await deps.keyUsage.flush();
  await deps.sessionUsage.flush();
  await deps.audit.idle();
  await deps.store.close();
}
