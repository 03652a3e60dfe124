import type { PageContext } from "../shared/types.ts";
import type { StudioContext, StudioHost, StudioLinks } from "./types.ts";

const links: StudioLinks = {
  video: (slotId) => `/studio/slots/${slotId}/video`,
  captions: (slotId) => `/studio/slots/${slotId}/captions`,
  poster: (slotId) => `/studio/slots/${slotId}/poster`,
  still: (slotId, momentId) => `/studio/slots/${slotId}/stills/${momentId}`,
  thumbnail: (slotId, momentId) => `/studio/slots/${slotId}/thumbnails/${momentId}`,
  clipThumbnail: (slotId, clipId) => `/studio/slots/${slotId}/clips/${clipId}/thumbnail`,
  cues: (slotId) => `/studio/slots/${slotId}/cues`,
};

export const studioContext =
  ({ cli, account, offers, keepsMoments, readCaptions }: Omit<StudioHost, "sendRecording" | "sendImage">) =>
  (page: PageContext): StudioContext => ({
    ...page,
    links,
    cli,
    account,
    offers,
    keepsMoments,
    captions: (slotId) => readCaptions(page, slotId),
  });
