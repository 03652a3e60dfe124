import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSharedAttempts } from "../accounts/attempts/attempts.ts";
import * as keys from "../accounts/keys-store.ts";
import * as sessions from "../accounts/sessions-store.ts";
import { createUsage } from "../accounts/usage.ts";
import { AuditLog } from "../audit/log.ts";
import type { CardProcessor } from "../billing/cards/processor.ts";
import { createChains } from "../billing/crypto/chains/index.ts";
import { createFacilitator } from "../billing/crypto/facilitator.ts";
import { invoiceFile } from "../billing/invoices/handlers.ts";
import { createPrinter } from "../billing/invoices/index.ts";
import { readBrand } from "../config/brand.ts";
import type { Config } from "../config/schema.ts";
import type { MovableClock } from "../database/clock.ts";
import type { Store } from "../database/port.ts";
import { createFeed } from "../events/feed.ts";
import { InFlight } from "../events/webhooks/in-flight.ts";
import { createRateLimiter } from "../http/limits/rate-limit.ts";
import { JobRunner } from "../jobs/runner.ts";
import { createIds } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { Outages } from "../lib/outages.ts";
import { createPasswords } from "../lib/passwords.ts";
import { createSecrets, type KeyRing } from "../lib/secrets.ts";
import { sharedHashPool } from "../lib/threads/hash-pool.ts";
import type { Tracer } from "../lib/trace.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { listDeleted } from "../operations/backups/deletions.ts";
import type { BackUp } from "../operations/backups/types.ts";
import { createOutbound } from "../outbound/index.ts";
import type { Resolve } from "../outbound/types.ts";
import { paidOrders } from "../playtests/paid-orders.ts";
import { createPublishers } from "../playtests/publications/publishers.ts";
import { beginTelling } from "../playtests/slots/new-offers.ts";
import { queueSubmission } from "../search/queue.ts";
import { createFfmpegCutter } from "../sharing/cutter.ts";
import { queueMeasuring } from "../sharing/signals/jobs.ts";
import { createFfmpegMeter } from "../sharing/signals/meter.ts";
import { queuePoster } from "../sharing/stills/jobs.ts";
import { createCommandTranscriber } from "../transcripts/command.ts";
import { queueTranscription } from "../transcripts/queue.ts";
import type { Transcriber } from "../transcripts/transcriber.ts";
import type { Blobs } from "../uploads/blobs.ts";
import { createLocalBlobs } from "../uploads/local-blobs.ts";
import type { Bucket } from "../uploads/s3/bucket.ts";
import type { Deps, SharedState } from "./deps.ts";
import { jobKinds, lacks } from "./jobs.ts";
import { createServerStore } from "./transaction.ts";

/** The parts that differ between production, a sandbox and a test. */
export interface External {
  config: Config;
  store: Store;
  clock: MovableClock;
  randomBytes(count: number): Buffer;
  instanceKey: Uint8Array | KeyRing;
  mailer: Mailer;
  /** Used where no transcriber is configured. */
  transcriber?: Transcriber;
  cards: CardProcessor | null;
  dataDir: string;
  /** Where files are stored that are not kept in the data folder. */
  bucket?: Bucket | undefined;
  /** Made from `bucket`. */
  blobs?: Blobs;
  backUp?: BackUp | undefined;
  log: Log;
  metrics?: Metrics | null;
  tracer?: Tracer | null;
  retiring: AbortSignal;
  draining: AbortSignal;
  /** For tests: resolves host names instead of the system's resolver. */
  resolve?: Resolve;
}

/** The signal's own reason, not the one of the timer. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const sharedStateOf = (deps: Omit<Deps, keyof SharedState>): SharedState => ({
  attempts: createSharedAttempts(deps),
  limiter: createRateLimiter(deps.clock.real, deps.store.shared),
  inFlight: new InFlight(deps.config.webhooks),
  idempotent: new Map(),
  keyUsage: createUsage(deps, "API key", keys.touch),
  sessionUsage: createUsage(deps, "session", sessions.touch),
  openStreams: new Map(),
  openapi: undefined,
  samplesPlayed: 0,
});

/** Builds everything a server depends on. */
export function createDeps(external: External): Deps {
  const { config, clock, randomBytes } = external;
  const newId = createIds(clock.now, randomBytes);
  const { inFlight, inFlightPerHost, allowPrivate } = config.webhooks;
  const lanes = {
    webhooks: { kinds: ["deliver-webhook"], width: Math.max(1, Math.floor(inFlight / inFlightPerHost)) },
    cards: { kinds: ["lapse-payment", "renew-subscription"], width: 8 },
    clips: { kinds: ["cut-clip"], width: config.clips.parallel, fair: true },
    stills: { kinds: ["cut-still", "fill-posters"], width: config.clips.parallel, fair: true },
    measurements: { kinds: ["measure-video"], width: 1, fair: true },
    transcripts: { kinds: ["transcribe"], width: config.transcriber.parallel, fair: true },
    chains: { kinds: ["confirm-deposit", "scan-deposits"], width: 8 },
    // Apart, because a scan may find many at a node that then does not answer.
    deposits: { kinds: ["book-deposit", "keep-deposit"], width: 4 },
    publishing: { kinds: ["publish-video"], width: config.publishing.parallel, fair: true },
    trackers: { kinds: ["sync-finding"], width: 4, fair: true },
    mail: { kinds: ["send-mail"], width: 8 },
    search: { kinds: ["index-text"], width: 1 },
    inspections: { kinds: ["inspect-videos"], width: 1 },
    backups: { kinds: ["back-up"], width: 1 },
    searchFilling: { kinds: ["fill-search"], width: 1 },
  };
  const jobs = new JobRunner({ kinds: jobKinds, lacks, lanes, clock, newId, leaseMs: config.jobs.leaseMs });
  const feed = createFeed(external.store);
  const audit = new AuditLog(external.store, external.log);
  const brand = readBrand(config, external.dataDir);
  const secrets = createSecrets(external.instanceKey, randomBytes);
  const { tracer = null } = external;
  const outbound = createOutbound({ allowPrivate, allowLoopback: config.sandbox, resolve: external.resolve, tracer });
  const parts: Omit<Deps, "store" | keyof SharedState> = {
    config,
    brand,
    secrets,
    newId,
    randomBytes,
    paidOrders,
    clock,
    wait,
    passwords: createPasswords({ logN: config.passwords.scryptLogN, pool: sharedHashPool(), randomBytes }),
    jobs,
    audit,
    feed,
    outbound,
    mailer: external.mailer,
    cards: external.cards,
    chains: createChains({ config, store: external.store, clock }),
    facilitator: createFacilitator({ config, outbound, store: external.store, clock, randomBytes }),
    printer: createPrinter(config, brand, external.log),
    mailedDocument: invoiceFile,
    publishers: {},
    transcriber:
      config.transcriber.command.length > 0 ? createCommandTranscriber(config.transcriber) : (external.transcriber ?? null),
    cutter: config.clips.ffmpeg.length > 0 ? createFfmpegCutter(config.clips) : null,
    meter: config.clips.ffmpeg.length > 0 ? createFfmpegMeter(config.clips) : null,
    blobs: external.blobs ?? createLocalBlobs(join(external.dataDir, "blobs")),
    dataDir: external.dataDir,
    backUp: external.backUp ?? null,
    log: external.log,
    outages: new Outages(external.log, clock.real),
    metrics: external.metrics ?? null,
    tracer,
    onUploaded: [queueMeasuring],
    onSubmitted: [queueTranscription, (_deps, tx, slotId) => queueSubmission(tx, slotId), queuePoster],
    onDeleted: listDeleted,
    onNewPlaytestsAsked: beginTelling,
    retiring: external.retiring,
    draining: external.draining,
  };
  // The parts themselves, not a copy: a transaction knows what they are when it begins.
  const store = createServerStore(external.store, clock, parts, { jobs, feed, audit });
  const deps = Object.assign(parts, { store });
  Object.assign(deps.publishers, createPublishers(deps));
  return Object.assign(deps, sharedStateOf(deps));
}
