import { existsSync } from "node:fs";
import { nextKeyFile } from "../../config/instance-key.ts";
import { type Store, StoreUnavailable } from "../../database/port.ts";
import type { Log } from "../../lib/log.ts";
import type { KeyRing } from "../../lib/secrets.ts";
import { refreshKeys } from "./ring.ts";
import { rotate } from "./rotate.ts";
import * as settings from "./store.ts";

/** How often a server reloads its keys. A rotation waits `settleMs`, several times as long, until all servers have done so. */
const watchMs = 1_000;
export const settleMs = 5_000;

interface Watched {
  store: Store;
  dataDir: string;
  ring: KeyRing;
  log: Log;
  randomBytes(count: number): Buffer;
}

/**
 * Follows rotations of the instance key while a server runs. If the database can be shared, the command rotates the key and the server
 * loads the new one. Otherwise only the server can open the database, so it rotates the key itself once the command has written the new
 * key to a file beside the old one. Returns a function that stops watching.
 */
export function watchKeys(watched: Watched): () => Promise<void> {
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= follow(watched)
      .catch((error) => {
        // Not of interest here: without the database, the server has other things to say.
        if (error instanceof StoreUnavailable) return;
        watched.log.error({ err: error }, "the instance key could not be rotated; trying again");
      })
      .finally(() => {
        looking = undefined;
      });
  };
  const timer = setInterval(look, watchMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

async function follow({ store, dataDir, ring, log, randomBytes }: Watched): Promise<void> {
  if (store.shared) return refreshKeys(store, ring, randomBytes);
  const unfinished = async () => (await store.read((q) => settings.get(q, "rotation"))) === "resealing";
  if (!existsSync(nextKeyFile(dataDir)) && !(await unfinished())) return;
  const none = async () => {};
  const { resealed } = await rotate({ store, dataDir, ring, randomBytes, settle: none, onProgress: () => {} });
  log.info({ resealed }, "the instance key was rotated");
}
