import type { PublisherName } from "../../../src/contract/publications/publishers.ts";
import type { Query } from "../../database/port.ts";

/** The account on a platform with which this server publishes. */
export interface ConnectionRow {
  id: string;
  adapter: PublisherName;
  /** What the platform calls it. */
  account: string;
  /** Its tokens, sealed. */
  sealed: string;
  created_at: number;
}

/** What `sealed` is sealed for. */
export const connectionContext = (adapter: string) => `publisher ${adapter}`;

export const find = (q: Query, adapter: PublisherName) =>
  q.one<ConnectionRow>("SELECT * FROM publisher_connections WHERE adapter = ?", adapter);
export const remove = (tx: Query, adapter: PublisherName) =>
  tx.run("DELETE FROM publisher_connections WHERE adapter = ?", adapter);

/** Puts it in the place of the one before it, which keeps its id. */
export const put = (tx: Query, { id, adapter, account, sealed, created_at }: ConnectionRow) =>
  tx.run(
    `INSERT INTO publisher_connections (id, adapter, account, sealed, created_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (adapter) DO UPDATE SET account = excluded.account, sealed = excluded.sealed, created_at = excluded.created_at`,
    id,
    adapter,
    account,
    sealed,
    created_at,
  );
