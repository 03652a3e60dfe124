import type { Deps } from "../app/deps.ts";
import type { Context, Tx } from "../app/tx.ts";
import { ApiError, conflict } from "../lib/api-error.ts";
import { freeBytes } from "../lib/free-space.ts";
import * as store from "./store.ts";

const diskFull = () =>
  new ApiError(
    "SERVICE_UNAVAILABLE",
    "The server has too little free disk space for this upload. Nothing was stored; try again later.",
    {
      headers: { "Retry-After": "300" },
    },
  );

/** 503 unless `bytes` more leave the disk with the space that the rest of the server needs. */
export async function requireFreeSpace({ config, dataDir, log }: Deps, bytes: number): Promise<void> {
  const free = await freeBytes(dataDir);
  if (free - bytes >= config.uploads.minFreeBytes) return;
  log.warn({ freeBytes: free, uploadBytes: bytes }, "an upload was refused: the disk of the data folder is nearly full");
  throw diskFull();
}

const storageBehind = () =>
  new ApiError(
    "SERVICE_UNAVAILABLE",
    "The storage of files does not keep up, and too many uploads wait for it. Nothing was stored; try again later.",
    { headers: { "Retry-After": "300" } },
  );

/** 503 unless `bytes` more may wait on the local disk for the bucket. An upload of any size may where nothing waits. */
export async function requireRoomInSpool({ blobs, config, log }: Deps, bytes: number): Promise<void> {
  const waiting = (await blobs.remote?.waiting())?.bytes ?? 0;
  if (waiting === 0 || waiting + bytes <= config.blobs.spoolMaxBytes) return;
  log.warn({ waitingBytes: waiting, uploadBytes: bytes }, "an upload was refused: too much waits for the storage of files");
  throw storageBehind();
}

/** 409 unless the account may begin another upload of this size. Unfinished uploads count with all they will have. */
export async function requireQuota(tx: Tx, upload: store.UploadRow): Promise<void> {
  const { maxOpenPerAccount } = tx.config.uploads;
  const { open, bytes } = await store.usageOf(tx, upload.user_id, upload.slot_id, upload.created_at);
  if (open >= maxOpenPerAccount)
    throw conflict(
      `An account can have at most ${maxOpenPerAccount} unfinished uploads. Nothing was stored. Finish or end one first.`,
    );
  requireFits(tx, bytes, upload.size);
}

/** 409 unless the account may store this much more, besides its uploads, clips and still images. */
export async function requireRoom(tx: Tx, userId: string, more: number): Promise<void> {
  requireFits(tx, (await store.usageOf(tx, userId, null, tx.now)).bytes, more);
}

function requireFits({ config }: Context, bytes: number, more: number): void {
  const { accountMaxBytes } = config.uploads;
  if (bytes + more <= accountMaxBytes) return;
  throw conflict(
    `An account can store at most ${accountMaxBytes} bytes, and this one uses ${bytes}. Nothing was stored. Ask the operator of this server for more.`,
  );
}
