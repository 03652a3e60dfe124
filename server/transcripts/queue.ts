import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import * as slots from "../playtests/slots/store.ts";
import * as transcriptions from "./store.ts";

/** Schedules the transcription of a submitted video, for whoever sent it. Does nothing when no transcriber is configured. */
export async function queueTranscription(deps: Deps, tx: Tx, slotId: string): Promise<void> {
  if (!deps.transcriber) return;
  const now = tx.now;
  await transcriptions.insert(tx, {
    id: tx.newId(),
    slot_id: slotId,
    status: "pending",
    key_takeaways: "[]",
    created_at: now,
    updated_at: now,
  });
  const account = (await slots.find(tx, slotId))!.playtester_id!;
  await tx.schedule({ kind: "transcribe", key: slotId, payload: { slotId }, account, runAt: now });
}
