import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import * as slots from "../playtests/slots/store.ts";
import * as transcriptions from "./store.ts";

/** Schedules the transcription of a submitted video, for whoever sent it. Does nothing when no transcriber is configured. */
export async function queueTranscription(deps: Deps, tx: Query, slotId: string): Promise<void> {
  if (!deps.transcriber) return;
  const now = deps.clock.now();
  await transcriptions.insert(tx, {
    id: deps.newId(),
    slot_id: slotId,
    status: "pending",
    selected_version: null,
    original_key: null,
    edited_key: null,
    key_takeaways: "[]",
    error: null,
    created_at: now,
    updated_at: now,
  });
  const account = (await slots.find(tx, slotId))!.playtester_id!;
  await deps.jobs.schedule(tx, { kind: "transcribe", key: slotId, payload: { slotId }, account, runAt: now });
}
