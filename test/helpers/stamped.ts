import type { Query } from "../../server/database/port.ts";

/** A transaction of a store without a server, with the time (ms) and the ids of what it posts. */
export const stamped = (tx: Query, stamp: { now: number; newId(): string }) => ({
  ...stamp,
  one: tx.one.bind(tx),
  all: tx.all.bind(tx),
  run: tx.run.bind(tx),
  send: tx.send.bind(tx),
  lock: tx.lock.bind(tx),
  locked: tx.locked.bind(tx),
  held: tx.held.bind(tx),
  alone: tx.alone.bind(tx),
});
