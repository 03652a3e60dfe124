import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Download } from "../../lib/signed-links.ts";
import * as stills from "../../playtests/moments/stills-store.ts";
import * as moments from "../../playtests/moments/store.ts";
import { stillFile, thumbnailFile } from "../../playtests/moments/views.ts";
import * as slots from "../../playtests/slots/store.ts";
import * as clips from "../../sharing/clips/store.ts";
import * as transcripts from "../../transcripts/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { submittedFile } from "../../uploads/store.ts";
import type { ImageKind, RecordingPart } from "../shared/types.ts";

const finders: Record<RecordingPart, (q: Query, slotId: string) => Promise<Download | undefined>> = {
  async poster(q, slotId) {
    const still = await stills.posterOf(q, slotId);
    return still && stillFile(still, "inline");
  },
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
  return file && deps.blobs.text(file.blobKey);
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

type StillFinder = (q: Query, id: string, userId: string) => Promise<stills.StillRow | undefined>;

const stillOfMoment: StillFinder = async (q, momentId, userId) =>
  (await moments.findForOwner(q, momentId, userId)) ? stills.ofMoment(q, momentId) : undefined;

const posterOfClip: StillFinder = async (q, clipId, userId) =>
  (await clips.findForOwner(q, clipId, userId)) ? stills.ofClip(q, clipId) : undefined;

const images: Record<ImageKind, { find: StillFinder; fileOf: typeof thumbnailFile }> = {
  still: { find: stillOfMoment, fileOf: stillFile },
  thumbnail: { find: stillOfMoment, fileOf: thumbnailFile },
  clipThumbnail: { find: posterOfClip, fileOf: thumbnailFile },
};

export interface WantedImage {
  userId: string;
  kind: ImageKind;
  /** The id of the moment or clip. */
  id: string;
}

/** Sends an image of a moment or clip to the owner of its slot and nobody else. */
export async function sendImage(
  deps: Deps,
  { userId, kind, id }: WantedImage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const still = await deps.store.read((q) => images[kind].find(q, id, userId));
  if (still?.status !== "ready") throw notFound();
  await sendFile(deps, request, response, images[kind].fileOf(still, "inline"));
}
