import { buffer } from "node:stream/consumers";
import { safeName } from "../../../src/contract/files/media.ts";
import { type PublisherName, publisherTitles } from "../../../src/contract/publications/publishers.ts";
import { readCues, writeCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Job } from "../../jobs/job.ts";
import { blobKeyOf, posterOf } from "../moments/stills-store.ts";
import * as playtests from "../store.ts";
import { playerNames } from "../teams/players.ts";
import * as connections from "./connections-store.ts";
import { type Failed, notConnected, type PublicVideo, type Publisher, PublishFailure } from "./publisher.ts";
import { detailOf, hasRemnants, inProgress, nextRun, removalPauseAfter, stepBytes } from "./rules.ts";
import { giveUp, lockedPublication, recordStart, recordStep } from "./service.ts";
import * as store from "./store.ts";

type Detail = store.PublicationDetailRow;

/** How often (ms) tokens are replaced while nothing is published. Those of PeerTube end after two weeks. */
const keepingMs = 5 * 86_400_000;

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

const suspended: Failed = { is: "failed", reason: "The game, or the account of its owner, is suspended." };

async function step(deps: Deps, row: Detail): Promise<void> {
  try {
    // Tried again as what fails is: it goes on when that ends in time. What is processed is the platform's already.
    if (row.is_suspended === 1 && row.state !== "processing") throw new PublishFailure(suspended);
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
    await change(deps, row.id, (tx, now) => recordStep(tx, now, failureOf(row, error)));
  }
}

/** Deletes what is left of a removed publication, until that succeeds. */
async function deleteRemote(deps: Deps, row: Detail): Promise<void> {
  try {
    // Also without a trace of it here: a try whose reply was lost may have left a video, which the adapter finds by its marker.
    if (hasRemnants(row) || (row.adapter !== "own" && deps.publishers[row.adapter])) {
      const session = row.session && deps.secrets.open(row.session, store.sessionContext(row.id));
      await publisherOf(deps, row).remove({ ...soughtOf(row), size: row.bytes_total, remoteId: row.remote_id, session });
    }
    const gone = { remote_id: null, session: null, error: null, detail: null, attempts: 0, next_attempt_at: null };
    await change(deps, row.id, (tx, { id }) => store.update(tx, id, { ...gone, updated_at: tx.now }));
  } catch (error) {
    if (deps.draining.aborted) return;
    deps.log.warn({ err: error, slot: row.slot_id, adapter: row.adapter }, "a video could not be deleted on its platform");
    await change(deps, row.id, (tx, { id, attempts }) => {
      const next = tx.now + removalPauseAfter(attempts + 1);
      const { reason, ...outcome } = failureOf(row, error);
      const failed = { error: reason, detail: detailOf(outcome), attempts: attempts + 1 };
      return store.update(tx, id, { ...failed, next_attempt_at: next, updated_at: tx.now });
    });
  }
}

/** Ends the wait for a platform, on time. */
export const endPublishing = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await giveUp(tx, await lockedPublication(tx, String(job.payload.publicationId)));
    await job.done(tx);
  }, playtests.rowLocks);

/** The job that keeps an account connected while nothing is published. */
export const scheduleKeeping = (tx: Tx, adapter: PublisherName) =>
  tx.schedule({ kind: "keep-connection", key: adapter, payload: { adapter }, runAt: tx.now + keepingMs });

/** Gets new tokens before those that are kept end. A platform that cannot be reached is asked again. */
export async function keepConnection(job: Job, deps: Deps): Promise<void> {
  const adapter = job.payload.adapter as PublisherName;
  const isConnected = await deps.store.read((q) => connections.find(q, adapter));
  const publisher = isConnected && deps.publishers[adapter];
  if (publisher?.keepConnected)
    await publisher.keepConnected().catch((err: unknown) => {
      deps.log.warn({ err, adapter }, "the connection to a video platform could not be kept");
    });
  await job.endUnless(async (tx) =>
    deps.publishers[adapter] && (await connections.find(tx, adapter)) ? tx.now + keepingMs : undefined,
  );
}

function publisherOf({ publishers }: Deps, { adapter }: Detail): Publisher {
  const publisher = publishers[adapter];
  if (!publisher) throw notConnected(adapter);
  return publisher;
}

function videoOf({ blobs, store: { read } }: Deps, row: Detail): PublicVideo {
  const { blob_key: key, content_type: contentType } = row;
  if (key === null || contentType === null) throw new PublishFailure({ is: "failed", reason: "The video was deleted." });
  return {
    ...soughtOf(row),
    slotId: row.slot_id,
    gameId: row.game_id,
    gameName: row.game_name,
    gameUrl: row.external_url,
    language: (JSON.parse(row.languages) as string[])[0] ?? "en",
    playtesterName: row.published_name,
    // Whoever plays may have put their name into that of the file.
    filename: safeName("video", contentType),
    contentType,
    size: row.bytes_total,
    async read(start, end) {
      const contents = await blobs.read(key, { start, end });
      if (!contents) throw new PublishFailure({ is: "failed", reason: "The file of the video is lost." });
      return contents;
    },
    async captions() {
      const text = row.captions_key === null ? undefined : await blobs.text(row.captions_key);
      if (text === undefined) return undefined;
      // As on the server's own page: the consents say whether names are shown, and a transcript may have them.
      return writeCues(readCues(text, { hidden: await read((q) => playerNames(q, row.slot_id)) }));
    },
    async poster() {
      const still = await read((q) => posterOf(q, row.slot_id));
      const contents = still && (await blobs.read(blobKeyOf(still)));
      return contents && buffer(contents);
    },
  };
}

const soughtOf = ({ id, created_at }: Detail) => ({ publicationId: id, since: created_at });

/** What an error of a publisher means. An unexpected one says to operators what it is, and to others that a try failed. */
function failureOf({ adapter }: Detail, error: unknown): Failed {
  if (error instanceof PublishFailure) return error.outcome;
  const name = publisherTitles[adapter];
  const reason = `${name.charAt(0).toUpperCase()}${name.slice(1)} cannot be reached, or does not answer as it should.`;
  return { is: "failed", reason, detail: error instanceof Error ? error.message : String(error) };
}
