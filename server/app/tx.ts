import type { EntryRow } from "../audit/chain.ts";
import type { Brand } from "../config/brand.ts";
import type { Config } from "../config/schema.ts";
import type { Query, ReadOptions, Store, WriteOptions } from "../database/port.ts";
import type { JobKind } from "../jobs/purposes.ts";
import type { JobToQueue } from "../jobs/types.ts";
import type { Secrets } from "../lib/secrets.ts";

/** A payment for an order that was placed, whose money just became its owner's credit. */
export interface PaidOrder {
  playtestId: string;
  paymentId: string;
  amountCents: number;
}

/** What billing does with a payment for an order. The orders room implements it and the app passes it in, so that billing imports no orders. */
export interface PaidOrders {
  /** Whether the order still waits for its payment. */
  awaitsPayment(tx: Tx, playtestId: string): Promise<boolean>;
  /** Whether the order was paid and not cancelled. */
  wasPaid(tx: ReadTx, playtestId: string): Promise<boolean>;
  /** Takes the price from the owner's credit and opens the slots. Only for an order that awaits payment. */
  onPaid(tx: Tx, paid: PaidOrder): Promise<void>;
}

/** What decisions go by, and what new rows are made of. It reaches nothing outside the process. */
export interface Context {
  readonly config: Config;
  readonly brand: Brand;
  readonly secrets: Secrets;
  /** A UUIDv7 of the server's time. Ids of one process sort in the order in which they were created. */
  newId(): string;
  randomBytes(count: number): Buffer;
  /** Activates unpaid orders when their payment arrives. */
  readonly paidOrders: PaidOrders;
}

/** Queries together with what they are decided by. */
export interface ReadTx extends Query, Context {
  /** The server's time (ms) when the transaction began, the same throughout. */
  readonly now: number;
}

/** A transaction that changes rows, with what a change needs and causes. */
export interface Tx extends ReadTx {
  /** The trace of the work that it is a part of, as `traceText` has it. */
  readonly trace: string | undefined;
  /** Queues a job. It starts after the commit. */
  schedule(job: JobToQueue<JobKind>): Promise<void>;
  /** Queues jobs that most likely do not exist yet, without looking for them first. One that is dead stays dead. */
  scheduleNew(jobs: readonly JobToQueue<JobKind>[]): Promise<void>;
  /** Tells the open event streams of the account after the commit. */
  wake(accountId: string): void;
  /** Writes an entry of the audit log. */
  audit(entry: EntryRow): Promise<void>;
}

/** The database of a running server. See `Store` for what `read` and `write` promise. */
export interface ServerStore extends Omit<Store, "read" | "write" | "separateDefinitions"> {
  read<T>(fn: (q: ReadTx) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
}
