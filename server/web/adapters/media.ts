import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Download } from "../../lib/signed-links.ts";
import * as stills from "../../playtests/moments/stills-store.ts";
import * as moments from "../../playtests/moments/store.ts";
import { stillFile, thumbnailFile } from "../../playtests/moments/views.ts";
import * as slots from "../../playtests/slots/store.ts";
import { companions } from "../../playtests/teams/store.ts";
import * as clips from "../../sharing/clips/store.ts";
import * as transcripts from "../../transcripts/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { submittedFile } from "../../uploads/store.ts";
import type { MediaPart } from "../shared/types.ts";

/** A slot that this account claimed, or plays in the team of who did. */
async function findPlayed(q: Query, id: string, userId: string) {
  const own = await slots.findForPlaytester(q, id, userId);
  if (own) return own;
  return (await companions(q, id)).some(({ user_id }) => user_id === userId) ? slots.findDetail(q, id) : undefined;
}

/** Whose slots an account may watch: those that it played, or those that it ordered. */
const holders = { playtester: findPlayed, owner: slots.findForOwner };

export interface WantedMedia {
  as: keyof typeof holders;
  userId: string;
  part: MediaPart;
  /** The id of the slot, moment or clip. */
  id: string;
}

type Finder = (q: Query, wanted: Omit<WantedMedia, "part">) => Promise<Download | undefined>;

const ofSlot =
  (find: (q: Query, slotId: string) => Promise<Download | undefined>): Finder =>
  async (q, { as, userId, id }) =>
    (await holders[as](q, id, userId)) ? find(q, id) : undefined;

async function captionsOf(q: Query, slotId: string): Promise<Download | undefined> {
  const row = await transcripts.findForSlot(q, slotId);
  const blobKey = row && transcripts.approvedKey(row);
  const filename = `captions-${slotId}.vtt`;
  return blobKey === undefined ? undefined : { blobKey, filename, contentType: "text/vtt; charset=utf-8", disposition: "inline" };
}

/** The still image of something that this account noted or cut. */
const image =
  (
    own: { findForOwner: typeof moments.findForOwner | typeof clips.findForOwner },
    find: typeof stills.ofMoment,
    fileOf: typeof thumbnailFile,
  ): Finder =>
  async (q, { userId, id }) => {
    const still = (await own.findForOwner(q, id, userId)) && (await find(q, id));
    return still?.status === "ready" ? fileOf(still, "inline") : undefined;
  };

const finders: Record<MediaPart, Finder> = {
  video: ofSlot(async (q, slotId) => {
    const file = await submittedFile(q, slotId);
    return file && { blobKey: file.blob_key, filename: file.filename, contentType: file.content_type, disposition: "inline" };
  }),
  captions: ofSlot(captionsOf),
  poster: ofSlot(async (q, slotId) => {
    const still = await stills.posterOf(q, slotId);
    return still && stillFile(still, "inline");
  }),
  still: image(moments, stills.ofMoment, stillFile),
  thumbnail: image(moments, stills.ofMoment, thumbnailFile),
  clipThumbnail: image(clips, stills.ofClip, thumbnailFile),
};

/** The text of the captions of a slot that this account ordered. */
export async function readCaptions(deps: Deps, userId: string, slotId: string): Promise<string | undefined> {
  const file = await deps.store.read((q) => finders.captions(q, { as: "owner", userId, id: slotId }));
  return file && deps.blobs.text(file.blobKey);
}

/** Sends a file to the playtester or owner whose it is, and nobody else. Supports `Range`. */
export async function sendMedia(
  deps: Deps,
  { part, ...wanted }: WantedMedia,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = await deps.store.read((q) => finders[part](q, wanted));
  if (!file) throw notFound();
  await sendFile(deps, request, response, file);
}
