import { join } from "node:path";
import type { DataLocation } from "../../config/data-location.ts";
import type { Driver, Snapshot } from "../driver.ts";
import { copySqlite, holdSqlite, lockSqlite, openSqlite } from "./sqlite.ts";

const name = "playtest.db";

export const dataFile = (dataDir: string) => join(dataDir, name);

const inspect = ({ dataDir }: DataLocation) => openSqlite(dataFile(dataDir), { readOnly: true });

async function snapshot(location: DataLocation): Promise<Snapshot> {
  const store = await inspect(location);
  const query = await store.read(async (q) => q);
  await query.run("BEGIN");
  return { dialect: store.dialect, query, close: () => store.close() };
}

/** SQLite: a file in the data directory, for one server process. */
export const sqliteDriver: Driver = {
  name: "sqlite",
  schemes: [],
  file: {
    names: [name, `${name}-wal`, `${name}-shm`],
    lockName: `${name}.lock`,
    lock: (dataDir) => lockSqlite(dataFile(dataDir)),
    copy: (dataDir, target, onProgress) => copySqlite(dataFile(dataDir), target, onProgress),
    hold: (dataDir) => holdSqlite(dataFile(dataDir)),
    inspectCopy: (path) => openSqlite(path, { readOnly: true }),
  },
  describe: ({ dataDir }) => `SQLite ${dataFile(dataDir)}`,
  open: ({ dataDir }, { strict = false, log } = {}) => openSqlite(dataFile(dataDir), { strict, log }),
  inspect,
  snapshot,
};
