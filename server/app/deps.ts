import type { CardProcessor } from "../billing/cards/processor.ts";
import type { Chains } from "../billing/crypto/chains/index.ts";
import type { InvoicePrinter } from "../billing/invoices/index.ts";
import type { PaidOrders } from "../billing/paid-orders.ts";
import type { Config } from "../config/schema.ts";
import type { MovableClock } from "../database/clock.ts";
import type { Query, Store } from "../database/port.ts";
import type { EventFeed } from "../events/feed.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { Log } from "../lib/log.ts";
import type { Passwords } from "../lib/passwords.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Outbound } from "../outbound/index.ts";
import type { Publisher } from "../playtests/publisher/index.ts";
import type { Transcriber } from "../transcripts/transcriber.ts";
import type { Blobs } from "../uploads/blobs.ts";

/** All a handler or a job may touch. Composition roots build it; nothing below them reads the process. */
export interface Deps {
  config: Config;
  store: Store;
  clock: MovableClock;
  /** A UUIDv7 of the server's time: ids of one process sort in the order they were made. */
  newId(): string;
  randomBytes(count: number): Buffer;
  secrets: Secrets;
  passwords: Passwords;
  jobs: JobRunner;
  feed: EventFeed;
  /** The only way to URLs that somebody gave the server. */
  outbound: Outbound;
  mailer: Mailer;
  /** Null where cards are not configured. */
  cards: CardProcessor | null;
  /** Where crypto comes in; none of them is on unless configured. */
  chains: Chains;
  printInvoice: InvoicePrinter;
  /** Where public videos are shown. */
  publisher: Publisher;
  /** Null where none is configured. */
  transcriber: Transcriber | null;
  /** Finished builds, videos and transcripts. */
  blobs: Blobs;
  /** This server's folder: unfinished uploads are in it, and the blobs where nothing else keeps them. */
  dataDir: string;
  log: Log;
  /** Pays orders that were placed unpaid. */
  paidOrders: PaidOrders;
  /** What else a submission starts, in its transaction. */
  onSubmitted: readonly ((deps: Deps, tx: Query, slotId: string) => Promise<void>)[];
  /** Stops long-lived replies (event streams) when the server drains. */
  draining: AbortSignal;
}
