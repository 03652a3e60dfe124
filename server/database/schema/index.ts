import type { Value } from "../port.ts";
import { accounts } from "./accounts.ts";
import { budgets } from "./budgets.ts";
import type { Column } from "./columns.ts";
import { crypto } from "./crypto.ts";
import { events } from "./events.ts";
import { findings } from "./findings.ts";
import { games } from "./games.ts";
import { money } from "./money.ts";
import { operation } from "./operation.ts";
import { playtests } from "./playtests.ts";
import { teams } from "./teams.ts";
import { videos } from "./videos.ts";

/**
 * Every table as the migrations leave it, with its columns. A migration that changes a table changes it here too; `test/store/schema.test.ts`
 * compares both.
 */
export const schema = {
  ...accounts,
  ...games,
  ...playtests,
  ...teams,
  ...videos,
  ...findings,
  ...money,
  ...budgets,
  ...crypto,
  ...events,
  ...operation,
};

export type TableName = keyof typeof schema;

type Columns<K extends TableName> = (typeof schema)[K];
type ValueOf<C> = C extends Column<infer T> ? T : never;
/** The columns that every inserted row must have. */
type Needed<K extends TableName> = {
  [C in keyof Columns<K>]: Columns<K>[C] extends Column<Value, undefined> ? C : never;
}[keyof Columns<K>];

/** The rows of each table: strings, numbers (times in ms, money in cents, booleans as 0 or 1), bytes, and null. */
export type Tables = { [K in TableName]: { [C in keyof Columns<K>]: ValueOf<Columns<K>[C]> } };

/** Columns of a row that a `LEFT JOIN` may not find. */
export type Left<Row> = { [C in keyof Row]: Row[C] | null };

/** A row that is inserted: columns with a default, or that may be null, can be left out. */
export type New<K extends TableName> = Pick<Tables[K], Needed<K> & keyof Tables[K]> & Partial<Tables[K]>;
