import { existsSync, writeFileSync } from "node:fs";
import type { DataLocationOptions, LocationReport } from "../../config/data-location.ts";
import { keyFile, nextKeyFile } from "../../config/instance-key.ts";
import { ConfigError } from "../../config/read.ts";
import { type DatabaseLocation, hasDatabase, locate, lockDataDir, reportLocation } from "../../database/drivers.ts";
import { pending } from "../../database/migrate.ts";
import type { Query } from "../../database/port.ts";
import { requireNotMoved } from "../move/moved.ts";
import { requireKeys } from "./identity.ts";
import { type Rotation, rotate } from "./rotate.ts";
import * as settings from "./store.ts";
import { settleMs } from "./watch.ts";

export interface RotateKeyOptions extends DataLocationOptions {
  randomBytes(count: number): Buffer;
  sleep(ms: number): Promise<void>;
  onProgress(resealed: number): void;
}

export interface Rotated extends Omit<Rotation, "resealed"> {
  /** Null if the running server did the rotation. It logs the number. */
  resealed: number | null;
  location: LocationReport;
}

/** Rotates the instance key of a server, whether or not it is running. Throws ConfigError. */
export async function rotateKey(options: RotateKeyOptions): Promise<Rotated> {
  const location = locate(options);
  if (!hasDatabase(location))
    throw new ConfigError(
      `No playtest database found in ${location.dataDir}. Nothing was changed. Pass the data directory with --data.`,
    );
  const running = location.driver.file !== undefined && !(await isFree(location.dataDir));
  const done = running ? await askServer(location, options) : await rotateHere(location, options);
  return { ...done, location: reportLocation(location) };
}

const requireInUse = (q: Query) => requireNotMoved(q, { outcome: "Nothing was changed." });

async function isFree(dataDir: string): Promise<boolean> {
  try {
    (await lockDataDir(dataDir))();
    return true;
  } catch {
    return false;
  }
}

async function rotateHere(location: DatabaseLocation, options: RotateKeyOptions): Promise<Rotation> {
  const { dataDir, driver } = location;
  const { env, randomBytes, sleep, onProgress } = options;
  const store = await driver.open(location, { patient: true });
  try {
    if ((await pending(store)).length > 0)
      throw new ConfigError("The database is of an older version. Nothing was changed. Run `playtest serve migrate` first.");
    await store.read(requireInUse);
    const ring = await requireKeys({ store, dataDir, secretKey: env.PLAYTEST_SECRET_KEY, randomBytes });
    return await rotate({ store, dataDir, ring, randomBytes, settle: () => sleep(settleMs), onProgress });
  } finally {
    await store.close();
  }
}

const pollMs = 250;
const patienceMs = 60_000;

/** Writes the new key to a file and waits until the running server has rotated to it, because only that server can open the database. */
async function askServer(location: DatabaseLocation, { randomBytes, sleep }: RotateKeyOptions) {
  await inspected(location, requireInUse);
  const file = nextKeyFile(location.dataDir);
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  for (let waited = 0; existsSync(file) || (await isResealing(location)); waited += pollMs) {
    if (waited > patienceMs && existsSync(file) && !(await isResealing(location)))
      throw Object.assign(
        new ConfigError(
          `The running server did not take the new key from ${file}. See its log; it may be of an older version. It takes the key at its next start; to prevent that, remove the file.`,
        ),
        { exitCode: 1 },
      );
    await sleep(pollMs);
  }
  return { resealed: null, keyFile: keyFile(location.dataDir) };
}

const isResealing = async (location: DatabaseLocation) =>
  (await inspected(location, (q) => settings.get(q, "rotation"))) === "resealing";

async function inspected<T>(location: DatabaseLocation, read: (q: Query) => Promise<T>): Promise<T> {
  const store = await location.driver.inspect(location);
  return store.read(read).finally(() => store.close());
}
