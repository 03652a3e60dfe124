import { isUniqueViolation, type Query, type Store } from "../database/port.ts";
import type { Log } from "../lib/log.ts";
import { type EntryRow, firstHash, hashOf, type LinkRow } from "./chain.ts";
import * as store from "./store.ts";

/** The maximum number of entries added to the chain in one transaction. */
const batch = 200;

/**
 * The audit log. An entry is written in the transaction of the action that it records, but added to the hash chain only after the
 * commit, by this process or the next one that extends the chain. Adding it in the transaction would make all writers wait for each
 * other, because each link depends on the last one.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #log: Log;
  readonly #noted = new WeakSet<Query>();
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  async write(tx: Query, entry: EntryRow): Promise<void> {
    await store.insert(tx, entry);
    this.#noted.add(tx);
  }

  /** Adds the entries of a transaction to the chain, in the background. Call it after each commit. */
  committed(tx: Query): void {
    if (!this.#noted.delete(tx)) return;
    this.chain().catch((error) =>
      this.#log.warn({ err: error }, "could not extend the audit chain; the next entry or start will"),
    );
  }

  /** Adds every entry that was committed before this call to the chain. */
  chain(): Promise<void> {
    const run = this.#last.catch(() => {}).then(() => this.#chainAll());
    this.#last = run;
    return run;
  }

  /** Resolves when the chain is not being extended. */
  async idle(): Promise<void> {
    await this.#last.catch(() => {});
  }

  async #chainAll(): Promise<void> {
    for (let added = batch; added === batch; ) {
      try {
        added = await this.#store.write(chainSome);
      } catch (error) {
        // Another process is extending the chain and will add the rest.
        if (!isUniqueViolation(error, "audit_links")) throw error;
      }
    }
  }
}

/** Adds one batch to the chain and returns the number of entries added. */
async function chainSome(tx: Query): Promise<number> {
  const entries = await store.pending(tx, batch);
  if (entries.length === 0) return 0;
  const last = await store.lastLink(tx);
  let [seq, previous] = [last?.seq ?? 0, last?.hash ?? firstHash];
  const links: LinkRow[] = [];
  for (const entry of entries) {
    seq += 1;
    previous = hashOf(previous, seq, entry);
    links.push({ seq, entry_id: entry.id, hash: previous });
  }
  await store.insertLinks(tx, links);
  return entries.length;
}
