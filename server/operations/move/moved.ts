import { ConfigError } from "../../config/read.ts";
import type { Store } from "../../database/port.ts";
import * as settings from "../keys/store.ts";

/** Throws ConfigError for a database whose data was moved to another one, and for one to which the data was not moved completely. */
export async function requireNotMoved(store: Store): Promise<void> {
  const [movedTo, movingFrom] = await store.read((q) =>
    Promise.all([settings.get(q, "moved_to"), settings.get(q, "moving_from")]),
  );
  if (movedTo !== undefined)
    throw new ConfigError(
      "The data of this server was moved to PostgreSQL by `playtest serve migrate --to`. The server was not started, because the data here is old. Start it with that database: pass its URL with --database-url or set DATABASE_URL.",
    );
  if (movingFrom !== undefined)
    throw new ConfigError(
      "The data was copied to this database, but `playtest serve migrate --to` was interrupted before the old database was given up. The server was not started. Run the same command again: it completes the move, or asks for a new database.",
    );
}
