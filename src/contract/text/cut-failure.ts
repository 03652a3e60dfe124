import type { CutLimit } from "../states/index.ts";

const reasons = {
  memory: "its video takes more memory than this server allows",
  time: "it took longer than this server allows",
  picture: "the picture of its video is larger than this server reads",
  size: "its file would be larger than this server allows, so try a shorter part",
} as const satisfies Record<CutLimit, string>;

/** Why a clip or an image could not be cut, behind a colon. Servers without limits say none. */
export const cutFailure = (limit: CutLimit | null | undefined): string =>
  limit ? reasons[limit] : "the video may be damaged there";
