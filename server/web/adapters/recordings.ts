import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { notFound } from "../../lib/problem.ts";
import type { Download } from "../../lib/signed-links.ts";
import * as slots from "../../playtests/slots/store.ts";
import * as transcripts from "../../transcripts/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { submittedFile } from "../../uploads/store.ts";
import type { RecordingPart } from "../shared/types.ts";

const finders: Record<RecordingPart, (q: Query, slotId: string) => Promise<Download | undefined>> = {
  async video(q, slotId) {
    const file = await submittedFile(q, slotId);
    return file && { blobKey: file.blob_key, filename: file.filename, contentType: file.content_type, disposition: "inline" };
  },
  async captions(q, slotId) {
    const row = await transcripts.findForSlot(q, slotId);
    const blobKey = row && transcripts.approvedKey(row);
    const filename = `captions-${slotId}.vtt`;
    return blobKey === undefined
      ? undefined
      : { blobKey, filename, contentType: "text/vtt; charset=utf-8", disposition: "inline" };
  },
};

/** Whose slots an account may watch: those that it played, or those that it ordered. */
const holders = { playtester: slots.findForPlaytester, owner: slots.findForOwner };

export interface WantedRecording {
  as: keyof typeof holders;
  userId: string;
  slotId: string;
  part: RecordingPart;
}

/** The text of the captions of a slot that this account ordered. */
export async function readCaptions(deps: Deps, userId: string, slotId: string): Promise<string | undefined> {
  const file = await deps.store.read(async (q) =>
    (await slots.findForOwner(q, slotId, userId)) ? finders.captions(q, slotId) : undefined,
  );
  return file && text(await deps.blobs.read(file.blobKey));
}

/** Sends the submitted video of a slot, or its captions, to its playtester or its owner and nobody else. Supports `Range`. */
export async function sendRecording(
  deps: Deps,
  { as, userId, slotId, part }: WantedRecording,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = await deps.store.read(async (q) =>
    (await holders[as](q, slotId, userId)) ? finders[part](q, slotId) : undefined,
  );
  if (!file) throw notFound();
  await sendFile(deps, request, response, file);
}
