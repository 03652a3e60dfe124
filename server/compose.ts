import { join } from "node:path";
import type { MovableClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import { createIds } from "./ids.ts";
import { jobKinds } from "./jobs/index.ts";
import { createJobRunner } from "./jobs/runner.ts";
import type { Log } from "./log.ts";
import { createPasswords } from "./passwords.ts";
import { createLocalBlobs } from "./providers/blobs/local.ts";
import { createCards } from "./providers/cards/index.ts";
import type { Mailer } from "./providers/mail/index.ts";
import { createSecrets } from "./secrets.ts";
import type { Store } from "./store/db.ts";

/** What differs between production, a sandbox and a test. */
export interface Outside {
  config: Config;
  store: Store;
  clock: MovableClock;
  randomBytes(count: number): Buffer;
  instanceKey: Uint8Array;
  mailer: Mailer;
  dataDir: string;
  log: Log;
  draining: AbortSignal;
}

/** Wires everything a server depends on, in order. */
export function createDeps(outside: Outside): Deps {
  const { config, clock, randomBytes } = outside;
  const newId = createIds(clock.now, randomBytes);
  return {
    config,
    clock,
    newId,
    randomBytes,
    store: outside.store,
    secrets: createSecrets(outside.instanceKey, randomBytes),
    passwords: createPasswords({ logN: config.passwords.scryptLogN, randomBytes }),
    jobs: createJobRunner({ kinds: jobKinds, clock, newId }),
    mailer: outside.mailer,
    cards: createCards(config),
    blobs: createLocalBlobs(join(outside.dataDir, "blobs")),
    dataDir: outside.dataDir,
    log: outside.log,
    draining: outside.draining,
  };
}
