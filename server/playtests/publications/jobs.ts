import { buffer } from "node:stream/consumers";
import { readCues, withoutSpeaker, writeCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Job } from "../../jobs/job.ts";
import { blobKeyOf, posterOf } from "../moments/stills-store.ts";
import * as playtests from "../store.ts";
import { type PublicVideo, type Publisher, PublishFailure } from "./publisher.ts";
import { hasRemnants, inProgress, nextRun, removalPauseAfter, stepBytes } from "./rules.ts";
import { giveUp, lockedPublication, recordStart, recordStep } from "./service.ts";
import * as store from "./store.ts";

type Detail = store.PublicationDetailRow;

/**
 * Brings a publication forward, one step after the other, until it has to wait or has ended; what is removed it deletes on the platform.
 * One job for each publication, whose row says when it goes on: no two processes send the same video.
 */
export async function publishVideo(job: Job, deps: Deps): Promise<void> {
  // Jobs that were queued before there were publications name the slot, whose publication has its id.
  const id = String(job.payload.publicationId ?? job.payload.slotId);
  for (let now = deps.clock.now(); ; now = deps.clock.now()) {
    const row = await deps.store.read((q) => store.findDetail(q, id));
    if (!row) return;
    const isDue = row.next_attempt_at !== null && row.next_attempt_at <= now;
    if (!isDue || deps.draining.aborted || !job.isHeld()) return endRun(job, deps, id);
    if (store.isIn(row, ...inProgress)) await step(deps, row);
    else await deleteRemote(deps, row);
  }
}

/** Ends this run of the job, or queues the next, as the row says at this instant. */
const endRun = (job: Job, deps: Deps, id: string) =>
  deps.store.write(async (tx) => {
    const next = nextRun(await lockedPublication(tx, id));
    await (next === undefined ? job.done(tx) : job.reschedule(tx, next));
  }, playtests.rowLocks);

/** Changes a publication in a transaction of its own, as it is by then. */
const change = (deps: Deps, id: string, apply: (tx: Tx, row: store.PublicationRow) => Promise<unknown>) =>
  deps.store.write(async (tx) => void (await apply(tx, await lockedPublication(tx, id))), playtests.rowLocks);

async function step(deps: Deps, row: Detail): Promise<void> {
  try {
    const publisher = publisherOf(deps, row);
    if (row.session === null) {
      const session = await publisher.start(videoOf(deps, row));
      await change(deps, row.id, (tx, now) => recordStart(tx, now, session));
      return;
    }
    const session = deps.secrets.open(row.session, store.sessionContext(row.id));
    const budget = { bytes: stepBytes, signal: deps.draining };
    const outcome = await publisher.advance(session, videoOf(deps, row), budget);
    await change(deps, row.id, (tx, now) => recordStep(tx, now, outcome));
  } catch (error) {
    if (deps.draining.aborted) return;
    deps.log.warn({ err: error, slot: row.slot_id, adapter: row.adapter }, "a try to publish a video failed");
    const outcome = error instanceof PublishFailure ? error.outcome : ({ is: "failed", reason: reasonOf(error) } as const);
    await change(deps, row.id, (tx, now) => recordStep(tx, now, outcome));
  }
}

/** Deletes what is left of a removed publication, until that succeeds. */
async function deleteRemote(deps: Deps, row: Detail): Promise<void> {
  try {
    // Also without a trace of it here: a try whose reply was lost may have left a video, which the adapter finds by its marker.
    if (hasRemnants(row) || (row.adapter !== "own" && deps.publishers[row.adapter])) {
      const session = row.session && deps.secrets.open(row.session, store.sessionContext(row.id));
      await publisherOf(deps, row).remove({ slotId: row.slot_id, remoteId: row.remote_id, session });
    }
    const gone = { remote_id: null, session: null, error: null, attempts: 0, next_attempt_at: null };
    await change(deps, row.id, (tx, { id }) => store.update(tx, id, { ...gone, updated_at: tx.now }));
  } catch (error) {
    if (deps.draining.aborted) return;
    deps.log.warn({ err: error, slot: row.slot_id, adapter: row.adapter }, "a video could not be deleted on its platform");
    await change(deps, row.id, (tx, { id, attempts }) => {
      const next = tx.now + removalPauseAfter(attempts + 1);
      const failed = { error: reasonOf(error), attempts: attempts + 1, next_attempt_at: next, updated_at: tx.now };
      return store.update(tx, id, failed);
    });
  }
}

/** Ends the wait for a platform, on time. */
export const endPublishing = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await giveUp(tx, await lockedPublication(tx, String(job.payload.publicationId)));
    await job.done(tx);
  }, playtests.rowLocks);

function publisherOf({ publishers }: Deps, { adapter }: Detail): Publisher {
  const publisher = publishers[adapter];
  if (!publisher) throw new Error(`This server is not connected to ${adapter}.`);
  return publisher;
}

function videoOf({ blobs, store: { read } }: Deps, row: Detail): PublicVideo {
  const { blob_key: key, filename, content_type: contentType } = row;
  if (key === null || filename === null || contentType === null) throw new Error("The video was deleted.");
  return {
    slotId: row.slot_id,
    gameId: row.game_id,
    gameName: row.game_name,
    gameUrl: row.external_url,
    language: (JSON.parse(row.languages) as string[])[0] ?? "en",
    playtesterName: row.published_name,
    filename,
    contentType,
    size: row.bytes_total,
    async read(start, end) {
      const contents = await blobs.read(key, { start, end });
      if (!contents) throw new Error("The file of the video is lost.");
      return contents;
    },
    async captions() {
      const text = row.captions_key === null ? undefined : await blobs.text(row.captions_key);
      if (text === undefined) return undefined;
      // As on the server's own page: the consent says whether a name is shown, and a transcript may have it.
      return writeCues(withoutSpeaker(readCues(text, "hidden"), row.display_name));
    },
    async poster() {
      const still = await read((q) => posterOf(q, row.slot_id));
      const contents = still && (await blobs.read(blobKeyOf(still)));
      return contents && buffer(contents);
    },
  };
}

/** At most this many characters of an error are kept and shown. */
const maxReason = 500;

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, maxReason);
