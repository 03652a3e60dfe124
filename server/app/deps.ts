import type { Attempts } from "../accounts/attempts/types.ts";
import type { Usage } from "../accounts/usage.ts";
import type { AuditLog } from "../audit/log.ts";
import type { CardProcessor } from "../billing/cards/processor.ts";
import type { Chains } from "../billing/crypto/chains/index.ts";
import type { Facilitator } from "../billing/crypto/facilitator.ts";
import type { Printer } from "../billing/invoices/index.ts";
import type { MovableClock } from "../database/clock.ts";
import type { EventFeed } from "../events/feed.ts";
import type { InFlight } from "../events/webhooks/in-flight.ts";
import type { RateLimiter } from "../http/limits/rate-limit.ts";
import type { Jobs } from "../jobs/types.ts";
import type { Log } from "../lib/log.ts";
import type { Outages } from "../lib/outages.ts";
import type { Passwords } from "../lib/passwords.ts";
import type { Tracer } from "../lib/trace.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { BackUp } from "../operations/backups/types.ts";
import type { Outbound } from "../outbound/index.ts";
import type { Publishers } from "../playtests/publications/publisher.ts";
import type { Cutter } from "../sharing/cutter.ts";
import type { Meter } from "../sharing/signals/meter.ts";
import type { Transcriber } from "../transcripts/transcriber.ts";
import type { Blobs } from "../uploads/blobs.ts";
import type { UploadRow } from "../uploads/store.ts";
import type { Context, ServerStore, Tx } from "./tx.ts";

/** What the requests and jobs of one server share in this process. */
export interface SharedState {
  /** Attempts to sign in. The API and the web pages share one count. */
  attempts: Attempts;
  /** The API and the web pages share it, so a caller's requests to both are counted together. */
  limiter: RateLimiter;
  /** Requests to the hosts of webhooks. Deliveries and test events count together. */
  inFlight: InFlight;
  /** Running requests with an idempotency key, by account and key. */
  idempotent: Map<string, Promise<unknown>>;
  keyUsage: Usage;
  sessionUsage: Usage;
  /** The number of open event streams of each account. */
  openStreams: Map<string, number>;
  /** The OpenAPI document, once somebody asked for it. */
  openapi: Buffer | undefined;
  /** How many sample videos a sandbox submitted: they take turns. */
  samplesPlayed: number;
}

/** Everything that handlers and jobs depend on. Built by app/compose.ts; nothing else accesses the process. */
export interface Deps extends Context, SharedState {
  store: ServerStore;
  clock: MovableClock;
  /** Real milliseconds, or less when the signal aborts: then it rejects with the signal's reason. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  passwords: Passwords;
  jobs: Jobs<Deps>;
  audit: AuditLog;
  feed: EventFeed;
  /** The only way to send requests to URLs that users gave. */
  outbound: Outbound;
  mailer: Mailer;
  /** Null when card payments are not configured. */
  cards: CardProcessor | null;
  /** Settles payments that standard x402 clients signed. Null when none is configured. */
  facilitator: Facilitator | null;
  /** The blockchains on which crypto payments are accepted. Each is off unless configured. */
  chains: Chains;
  /** Renders invoices and statements as PDF. */
  printer: Printer;
  /** The file of an invoice that an email attaches. Null when there is none. */
  mailedDocument(deps: Deps, id: string): Promise<Mail["document"]>;
  /** Publishes the videos of public playtests. */
  publishers: Publishers;
  /** Null when no transcriber is configured. */
  transcriber: Transcriber | null;
  /** Cuts clips and still images. Null when no ffmpeg is configured. */
  cutter: Cutter | null;
  /** Measures recordings. Null when no ffmpeg is configured. */
  meter: Meter | null;
  /** Finished builds, videos and transcripts. */
  blobs: Blobs;
  /** The data directory, with unfinished uploads and the blobs. */
  dataDir: string;
  /** Null where nobody can back up the server by itself. */
  backUp: BackUp | null;
  log: Log;
  outages: Outages;
  /** Null when no metrics are configured. */
  metrics: Metrics | null;
  /** Null where the environment names no collector of traces. */
  tracer: Tracer | null;
  /** Called for each video that was uploaded, in the transaction that records it. */
  onUploaded: readonly ((deps: Deps, tx: Tx, upload: UploadRow) => Promise<void>)[];
  /** Called for each submission, in its transaction. */
  onSubmitted: readonly ((deps: Deps, tx: Tx, slotId: string) => Promise<void>)[];
  /** Called for each account that a request deleted, after the commit and before the reply. Does not reject. */
  onDeleted(deps: Deps, userId: string): Promise<unknown>;
  /** Called when a playtester asks for emails about new playtests, in its transaction. */
  onNewPlaytestsAsked(tx: Tx, userId: string): Promise<void>;
  /** Aborted when the server is asked to stop: it still answers, but says that it is not ready. */
  retiring: AbortSignal;
  /** Aborted when the server stops answering, to end long-lived replies such as event streams. */
  draining: AbortSignal;
}
