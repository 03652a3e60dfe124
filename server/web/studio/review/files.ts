import { studio } from "../../../../src/contract/pages/addresses.ts";
import type { MediaPart } from "../../shared/types.ts";

/** The files of a slot that the host of the pages sends. The video supports `Range`. */
export const slotFiles = {
  video: studio.slot.below("video"),
  captions: studio.slot.below("captions"),
  poster: studio.slot.below("poster"),
  still: studio.slot.below("stills/:moment"),
  thumbnail: studio.slot.below("thumbnails/:moment"),
  clipThumbnail: studio.slot.below("clips/:clip/thumbnail"),
} satisfies Record<MediaPart, object>;
