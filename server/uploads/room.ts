import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { freeBytes } from "../lib/free-space.ts";
import { conflict, Problem } from "../lib/problem.ts";
import * as store from "./store.ts";

const diskFull = () =>
  new Problem(
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

/** 409 unless the account may begin another upload of this size. Unfinished uploads count with all they will have. */
export async function requireQuota(deps: Deps, tx: Query, upload: store.UploadRow): Promise<void> {
  const { maxOpenPerAccount } = deps.config.uploads;
  const { open, bytes } = await store.usageOf(tx, upload.user_id, upload.slot_id, upload.created_at);
  if (open >= maxOpenPerAccount)
    throw conflict(
      `An account can have at most ${maxOpenPerAccount} unfinished uploads. Nothing was stored. Finish or end one first.`,
    );
  requireFits(deps, bytes, upload.size);
}

/** 409 unless the account may store this much more, besides its uploads, clips and still images. */
export async function requireRoom(deps: Deps, tx: Query, userId: string, more: number): Promise<void> {
  requireFits(deps, (await store.usageOf(tx, userId, null, deps.clock.now())).bytes, more);
}

function requireFits({ config }: Deps, bytes: number, more: number): void {
  const { accountMaxBytes } = config.uploads;
  if (bytes + more <= accountMaxBytes) return;
  throw conflict(
    `An account can store at most ${accountMaxBytes} bytes, and this one uses ${bytes}. Nothing was stored. Ask the operator of this server for more.`,
  );
}
