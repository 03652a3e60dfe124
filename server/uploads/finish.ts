import { buffer } from "node:stream/consumers";
import { signatureBytes, type VideoFacts, videoType } from "../../src/contract/files/inspect-video.ts";
import { requireActive, requireLive } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import { requireMayReplaceBuild } from "../games/playtested.ts";
import * as games from "../games/store.ts";
import type { Caller } from "../http/call.ts";
import { ApiError, conflict, notFound } from "../lib/api-error.ts";
import { sameText } from "../lib/secrets.ts";
import { statusAt } from "../playtests/slots/rules.ts";
import * as slots from "../playtests/slots/store.ts";
import * as playtests from "../playtests/store.ts";
import { gone, locked, notVideo, unusableVideo, wrongChecksum } from "./errors.ts";
import type { UploadFiles } from "./files.ts";
import * as uploads from "./store.ts";
import { inspectSent } from "./videos/inspect.ts";
import { queueInspection } from "./videos/jobs.ts";
import type { Hold } from "./writers/locks.ts";

/** Schedules the removal of an upload's file, now or when the upload expires. */
export const scheduleDiscard = (tx: Tx, uploadId: string, runAt: number) =>
  tx.schedule({ kind: "discard-upload", key: uploadId, payload: { uploadId }, runAt });

/** Throws unless the user can upload a video for this slot: 404 when the slot is not theirs, 409 when it is not reserved. */
export async function requireReserved(q: Query, slotId: string, userId: string, now: number): Promise<void> {
  const slot = await slots.findForPlaytester(q, slotId, userId);
  if (!slot) throw notFound();
  const status = statusAt(slot, now);
  if (status !== "reserved")
    throw conflict(`The slot is ${status}. Nothing was uploaded: a video can be uploaded only while the slot is reserved.`);
}

/**
 * Finishes an upload whose bytes have all arrived: checks them, moves the file to the blob store and, in one transaction, records the
 * upload and its effect. Can be repeated after a crash at any point. Removes the file of an upload that it refuses, but not when only the
 * key or session of the caller ended: another one of the account can finish it.
 */
export async function finish(
  deps: Deps,
  files: UploadFiles,
  upload: uploads.UploadRow,
  { hold, caller }: { hold: Hold; caller: Caller },
): Promise<void> {
  const key = uploads.blobKeyOf(upload);
  let isEnded = false;
  let facts: VideoFacts | undefined;
  try {
    // The store is asked only where the file is not here: a bucket that is away keeps no upload from its end.
    if ((await files.received(upload.id)) === upload.size || (await deps.blobs.size(key)) !== upload.size) {
      facts = await inspect(files, upload);
      if (!(await hold.isHeld())) throw locked();
      if (!(await deps.blobs.put(key, files.path(upload.id))) && (await deps.blobs.size(key)) !== upload.size)
        throw new Error(`another file is stored as ${key}`);
    }
    // Still there when a process that lost the upload had stored the file already.
    await files.drop(upload.id);
    const filetype = upload.kind === "video" ? await storedVideoType(deps, key) : upload.filetype;
    const found = { duration_ms: facts?.durationMs ?? null, facts: facts ? JSON.stringify(facts) : null };
    await deps.store.write(async (tx) => {
      if (upload.game_id !== null && upload.kind === "build") await requireMayReplaceBuild(tx, caller, upload.game_id);
      await record(deps, tx, upload, { filetype, ...found });
      await requireLive(tx, caller, tx.now).catch((error) => {
        isEnded = true;
        throw error;
      });
      if (!(await hold.end(tx))) throw locked();
    });
  } catch (error) {
    if (!isEnded && error instanceof ApiError && error.status < 500) await refuse(deps, files, upload, hold);
    throw error;
  }
}

/** Refuses an upload and removes its file. Does nothing when another process has taken the upload over. */
export async function refuse(deps: Deps, files: UploadFiles, upload: uploads.UploadRow, hold: Hold): Promise<void> {
  const isMine = await deps.store.write(async (tx) => {
    if (!(await hold.end(tx))) return false;
    await uploads.transitionFromAny(tx, upload, "refuse");
    return true;
  });
  if (!isMine) return;
  await files.drop(upload.id);
  await deps.blobs.remove(uploads.blobKeyOf(upload));
}

/** Throws for a file that was damaged on the way, or that nobody could watch. Returns what a video is made of, if that is known by now. */
async function inspect(files: UploadFiles, upload: uploads.UploadRow): Promise<VideoFacts | undefined> {
  if (upload.kind === "video") {
    if (!videoType(await files.head(upload.id))) throw notVideo();
    const facts = await inspectSent(files.path(upload.id), upload.user_id);
    if (facts?.fault) throw unusableVideo(facts.fault);
    return facts;
  }
  const actual = await files.sha256(upload.id, upload.size);
  if (!sameText(actual, upload.sha256 ?? ""))
    throw wrongChecksum("sha256", `the received file has the SHA-256 ${actual}. Nothing was stored. Upload it again`);
  return undefined;
}

async function storedVideoType(deps: Deps, key: string): Promise<string> {
  const head = await deps.blobs.read(key, { start: 0, end: signatureBytes - 1 });
  if (!head) throw new Error(`the video ${key} is missing`);
  const type = videoType(await buffer(head));
  if (!type) throw notVideo();
  return type;
}

async function record(
  deps: Deps,
  tx: Tx,
  upload: uploads.UploadRow,
  found: Pick<uploads.UploadRow, "filetype" | "duration_ms" | "facts">,
): Promise<void> {
  const now = tx.now;
  // Whoever submits the slot must not miss that this video replaces the one before.
  if (upload.slot_id) playtests.lockOfSlot(tx, upload.slot_id);
  // The bytes may have arrived for minutes.
  await requireActive(tx, upload.user_id);
  if (!(await uploads.transitionFromAny(tx, upload, "complete", { ...found, completed_at: now }))) throw gone();
  if (upload.kind === "build") return addBuild(tx, upload, now);
  await requireReserved(tx, upload.slot_id!, upload.user_id, now);
  if (found.facts === null) await queueInspection(tx);
  for (const id of await uploads.replace(tx, upload.slot_id!, "completed", upload.id)) await scheduleDiscard(tx, id, now);
  for (const onUploaded of deps.onUploaded) await onUploaded(deps, tx, { ...upload, ...found });
}

async function addBuild(tx: Tx, upload: uploads.UploadRow, now: number): Promise<void> {
  const game = await games.findForOwner(tx, upload.game_id!, upload.user_id);
  if (!game) throw notFound();
  const metadata = JSON.parse(upload.metadata) as Record<string, string | null>;
  const id = tx.newId();
  const buildUrl = `${tx.config.baseUrl}/builds/${id}`;
  await games.insertBuild(tx, {
    id,
    game_id: game.id,
    build_url: buildUrl,
    blob_key: uploads.blobKeyOf(upload),
    filename: upload.filename,
    size: upload.size,
    sha256: upload.sha256,
    content_sha256: metadata.contentSha256 || null,
    version: metadata.version || null,
    channel: metadata.channel || null,
    notes: metadata.notes || null,
    created_at: now,
  });
  await games.update(tx, game.id, { build_url: buildUrl, build_id: id, updated_at: now });
}
