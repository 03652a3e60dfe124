import { ConfigError } from "../../config/read.ts";
import type { Check, Query } from "../../database/port.ts";
import * as settings from "../keys/store.ts";

/** Why nothing uses a database any more, or not yet. */
interface Fault {
  what: string;
  remedy: string;
}

/** What a refusal says was not done, and what to do instead, unless that is what is right for a command on the database itself. */
export interface Refusal {
  outcome: string;
  remedy?: string;
}

async function faultOf(q: Query): Promise<Fault | undefined> {
  if ((await settings.get(q, "moved_to")) !== undefined)
    return {
      what: "The data of this server was moved to PostgreSQL by `playtest serve migrate --to`, and what is here is old.",
      remedy: "Use that database: pass its URL with --database-url or set DATABASE_URL.",
    };
  if ((await settings.get(q, "moving_from")) !== undefined)
    return {
      what: "The data was copied to this database, but `playtest serve migrate --to` was interrupted before the old database was given up.",
      remedy: "Run the same command again: it completes the move, or asks for a new database.",
    };
  return undefined;
}

/** Throws ConfigError for a database whose data was moved to another one, and for one to which the data was not moved completely. */
export async function requireNotMoved(q: Query, { outcome, remedy }: Refusal): Promise<void> {
  const fault = await faultOf(q);
  if (fault) throw new ConfigError(`${fault.what} ${outcome} ${remedy ?? fault.remedy}`);
}

/** A failed check for a database that nothing uses because of a move; otherwise none. */
export async function movedChecks(q: Query): Promise<Check[]> {
  const fault = await faultOf(q);
  return fault ? [{ name: "moved", ok: false, detail: fault.what, help: fault.remedy }] : [];
}
