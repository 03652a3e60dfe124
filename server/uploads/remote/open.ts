import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../database/port.ts";
import { makeFolder } from "../../lib/folders.ts";
import type { Log } from "../../lib/log.ts";
import type { Blobs } from "../blobs.ts";
import type { Bucket } from "../s3/bucket.ts";
import { RemoteBlobs, spoolIn } from "./blobs.ts";
import { createRows, noRows } from "./store.ts";

export interface RemoteParts {
  store: Store;
  log: Log;
  randomBytes(count: number): Buffer;
  /** Real time in ms. */
  now(): number;
}

const wait = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal });

/** The files of a running server. */
export function openRemoteBlobs(dataDir: string, bucket: Bucket, { store, log, randomBytes, now }: RemoteParts): Blobs {
  const newToken = () => randomBytes(24).toString("base64url");
  const rows = createRows({ store, now, token: newToken(), folder: folderId(spoolIn(dataDir), newToken) });
  return new RemoteBlobs({ bucket, dataDir, rows, log, wait, newToken });
}

/** The id of a folder, by which processes that share a database tell theirs apart. */
function folderId(folder: string, newToken: () => string): string {
  const path = join(folder, "id");
  makeFolder(folder);
  if (!existsSync(path)) {
    const id = newToken();
    const whole = `${path}.${id}`;
    writeFileSync(whole, id, { mode: 0o600 });
    try {
      // Of two processes that start at once with one folder, both read what the first wrote.
      linkSync(whole, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(whole);
    }
  }
  return readFileSync(path, "utf8");
}

/** The files of a server, for a command beside it. */
export function watchedBlobs(dataDir: string, bucket: Bucket): Blobs {
  const silent = { debug() {}, info() {}, warn() {}, error() {}, access() {} };
  const newToken = () => {
    throw new Error("a command lends no addresses");
  };
  return new RemoteBlobs({ bucket, dataDir, rows: noRows, log: silent, wait, newToken });
}
