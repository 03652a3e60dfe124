import type { PublisherName } from "../../../src/contract/publications/publishers.ts";
import type { Tx } from "../../app/tx.ts";
import { fullRow } from "../../database/rows.ts";
import * as slots from "../slots/store.ts";
import { agreedAdapter } from "./consents-store.ts";
import * as store from "./store.ts";

/** Queues the publication of the video of an accepted slot, where its players consented to. */
export async function begin(tx: Tx, slot: slots.SlotRow): Promise<void> {
  const [submission, adapter] = await Promise.all([slots.submissionOf(tx, slot.id), agreedAdapter(tx, slot.id)]);
  const row = newPublication(tx, { slotId: slot.id, adapter, bytes: submission?.video_file_size ?? 0 });
  await store.insert(tx, row);
  await scheduleWork(tx, row, slot.owner_id);
}

interface About {
  slotId: string;
  adapter: PublisherName;
  /** Size of the video. */
  bytes: number;
}

/** One that waits for its first try. */
export const newPublication = (tx: Tx, { slotId, adapter, bytes }: About): store.PublicationRow =>
  fullRow("publications", {
    id: tx.newId(),
    slot_id: slotId,
    adapter,
    state: "waiting",
    bytes_sent: 0,
    bytes_total: bytes,
    attempts: 0,
    next_attempt_at: tx.now,
    give_up_at: tx.now + tx.config.publishing.maxWaitMs,
    created_at: tx.now,
    updated_at: tx.now,
  });

/**
 * Queues the job that publishes, and the one that ends the wait: that is another kind, so that it is on time when all that may be uploaded
 * at once is.
 */
export async function scheduleWork(tx: Tx, row: store.PublicationRow, ownerId: string): Promise<void> {
  await scheduleRun(tx, row, ownerId);
  const { id, give_up_at } = row;
  await tx.schedule({
    kind: "end-publishing",
    key: `${id}:${give_up_at}`,
    payload: { publicationId: id, giveUpAt: give_up_at },
    runAt: give_up_at,
  });
}

/** Queues the job of a publication for when its row says that it goes on. */
export const scheduleRun = (tx: Tx, { id, next_attempt_at }: store.PublicationRow, ownerId: string) =>
  tx.schedule({
    kind: "publish-video",
    key: id,
    payload: { publicationId: id },
    account: ownerId,
    runAt: next_attempt_at ?? tx.now,
  });
