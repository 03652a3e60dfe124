import type { DataLocationOptions } from "../../config/data-location.ts";
import { ConfigError } from "../../config/read.ts";
import type { Driver, Held } from "../../database/driver.ts";
import { type DatabaseLocation, hasDatabase, locate } from "../../database/drivers.ts";
import { migrate, pending } from "../../database/migrate.ts";
import type { Store } from "../../database/port.ts";
import { tablesOf } from "../../database/tables.ts";
import { requireEmptyDatabase } from "../archive/load.ts";
import type { OnProgress } from "../archive/progress.ts";
import { requireKeys } from "../keys/identity.ts";
import * as settings from "../keys/store.ts";
import { type Copied, copyDatabase } from "./copy.ts";
import { countRows } from "./store.ts";

export interface MoveOptions extends DataLocationOptions {
  /** The URL of the database to move to. */
  to: string;
  randomBytes(count: number): Buffer;
  /** Current time in milliseconds. */
  now(): number;
  onProgress: OnProgress;
}

export interface Moved {
  /** The databases in readable form, without passwords. */
  from: string;
  to: string;
  tables: number;
  rows: number;
  /** How long nothing could be written until the old database was given up, in milliseconds. 0 if `resumed`. */
  pauseMs: number;
  /** Whether it only completed a move that was interrupted after the old database was given up. */
  resumed: boolean;
}

interface Move extends MoveOptions {
  id: string;
  source: DatabaseLocation;
  target: DatabaseLocation;
}

/**
 * Moves the data of a server, which may be running, from its data file to another database. Everything is copied in one transaction while
 * the server goes on. Then nobody can write while the last changes are copied and all rows are compared. Until the very end the data file
 * stays as it is, so that a server goes on with it when a move fails or is killed. After it, the file refuses every change. Throws ConfigError
 * for unusable databases.
 */
export async function move(options: MoveOptions): Promise<Moved> {
  const source = locate(options);
  const target = locate({ ...options, databaseUrl: options.to });
  const names = { from: source.driver.describe(source), to: target.driver.describe(target) };
  const driver = requireMovable(source, target);
  const before = await look(source, options);
  if (before !== undefined) return { ...names, ...(await finish(target, before)) };
  await refuseUnfit(target);
  await requireEmptyDatabase(target);
  await prepareTarget(target);
  return { ...names, ...(await copyAll({ ...options, id: options.randomBytes(16).toString("hex"), source, target }, driver)) };
}

type Movable = Required<Pick<Driver, "file" | "fill">>;

function requireMovable(source: DatabaseLocation, target: DatabaseLocation): Movable {
  const { file } = source.driver;
  const { fill } = target.driver;
  if (!file || !fill)
    throw new ConfigError(
      "Only a server with SQLite can be moved with --to, and only to a PostgreSQL database. Nothing was changed. For other moves use `playtest serve export` and `playtest serve import`.",
    );
  if (hasDatabase(source)) return { file, fill };
  throw new ConfigError(
    `No playtest database found in ${source.dataDir}. Nothing was changed. Pass the data directory with --data.`,
  );
}

/** Checks that the data file can be moved. Returns the id of the move if it was moved before. */
async function look(source: DatabaseLocation, { env, randomBytes }: MoveOptions): Promise<string | undefined> {
  const store = await source.driver.inspect(source);
  try {
    if ((await pending(store)).length > 0)
      throw new ConfigError("The database is of an older version. Nothing was changed. Run `playtest serve migrate` first.");
    const moved = await store.read((q) => settings.get(q, "moved_to"));
    if (moved !== undefined) return moved;
    await requireKeyOf(store, source, env.PLAYTEST_SECRET_KEY, randomBytes);
    return undefined;
  } finally {
    await store.close();
  }
}

async function requireKeyOf(
  store: Store,
  { dataDir }: DatabaseLocation,
  secretKey: string | undefined,
  randomBytes: MoveOptions["randomBytes"],
): Promise<void> {
  const known = await store.read((q) => settings.get(q, "instance_key"));
  if (known !== undefined) await requireKeys({ store, dataDir, secretKey, randomBytes });
}

/**
 * A move that was killed after the new database was written and before the data file was given up leaves a copy that nobody uses. A move
 * redefines references in its transaction.
 */
async function refuseUnfit(target: DatabaseLocation): Promise<void> {
  const store = await target.driver.inspect(target);
  try {
    if (await store.separateDefinitions?.())
      throw new ConfigError(
        "The new database cannot define tables inside a transaction, so nothing can be moved to it with --to. Nothing was changed. Use `playtest serve export` and `playtest serve import`.",
      );
    if ((await movingFrom(store)) === undefined) return;
  } finally {
    await store.close();
  }
  const message =
    "The new database holds the copy of a move that was interrupted. No server starts with it. Nothing was changed. Create another database and pass it with --to.";
  throw Object.assign(new ConfigError(message), { exitCode: 6 });
}

/** The id of the move that has filled this database and is not complete. */
async function movingFrom(store: Store): Promise<string | undefined> {
  const tables = await store.read((q) => tablesOf(q, store.dialect));
  const exists = tables.some(({ name, columns }) => name === "settings" && columns.length > 0);
  return exists ? store.read((q) => settings.get(q, "moving_from")) : undefined;
}

async function prepareTarget(target: DatabaseLocation): Promise<void> {
  const store = await target.driver.open(target, { patient: true });
  try {
    await migrate(store);
  } finally {
    await store.close();
  }
}

type Result = Omit<Moved, "from" | "to">;

async function copyAll(move: Move, { file, fill }: Movable): Promise<Result> {
  const { source, target, id, now } = move;
  let held: Held | undefined;
  let pausedAt = 0;
  let copied: Copied = { tables: 0, rows: 0 };
  try {
    await fill(target, async (tx) => {
      const hold = async () => {
        held = await file.hold(source.dataDir);
        pausedAt = now();
        return held;
      };
      copied = await copyDatabase(move, tx, hold);
      await settings.set(tx, "moving_from", id);
    });
    const text = `The data was moved to ${target.driver.describe(target)}. Start the server with that database.`;
    await held!.retire(text, async (q) => void (await settings.set(q, "moved_to", id)));
  } finally {
    await held?.close();
  }
  const pauseMs = now() - pausedAt;
  await complete(target, id);
  return { ...copied, pauseMs, resumed: false };
}

/** Lets servers start on the new database, now that the data file refuses changes. */
async function complete(target: DatabaseLocation, id: string): Promise<void> {
  const store = await target.driver.open(target);
  try {
    await store.write(async (tx) => {
      if ((await settings.get(tx, "moving_from")) === id) await settings.remove(tx, "moving_from");
    });
  } finally {
    await store.close();
  }
}

/** Completes a move that was interrupted after the data file was given up. Throws ConfigError if it went elsewhere or is complete. */
async function finish(target: DatabaseLocation, id: string): Promise<Result> {
  const store = await target.driver.inspect(target);
  try {
    if ((await movingFrom(store)) !== id)
      throw new ConfigError(
        "This data was moved before. Nothing was changed. Start the server with the database that it was moved to.",
      );
    await complete(target, id);
    const tables = await store.read((q) => tablesOf(q, store.dialect));
    const counts = await store.read((q) => Promise.all(tables.map((table) => countRows(q, table))));
    const rows = counts.reduce((sum, count) => sum + count, 0);
    return { tables: tables.length, rows, pauseMs: 0, resumed: true };
  } finally {
    await store.close();
  }
}
