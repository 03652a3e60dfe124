import type { PublisherName } from "../../../src/contract/publications/publishers.ts";
import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, putRow } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";

/** The account on a platform with which this server publishes. */
export type ConnectionRow = Tables["publisher_connections"];

/** What `sealed`, its tokens, is sealed for. */
export const connectionContext = (adapter: string) => `publisher ${adapter}`;

export const find = (q: Query, adapter: PublisherName) => findRow(q, "publisher_connections", { adapter });
export const remove = (tx: Query, adapter: PublisherName) => deleteWhere(tx, "publisher_connections", { adapter });

/** Puts it in the place of the one before it, which has the same id. */
export const put = (tx: Query, row: ConnectionRow) => putRow(tx, "publisher_connections", row, "adapter");
