import type { PageContext } from "../shared/types.ts";
import type { StudioContext, StudioHost, StudioLinks } from "./types.ts";

const links: StudioLinks = {
  video: (slotId) => `/studio/slots/${slotId}/video`,
  captions: (slotId) => `/studio/slots/${slotId}/captions`,
  cues: (slotId) => `/studio/slots/${slotId}/cues`,
};

export const studioContext =
  ({ cli, account, readCaptions }: Pick<StudioHost, "cli" | "account" | "readCaptions">) =>
  (page: PageContext): StudioContext => ({
    ...page,
    links,
    cli,
    account,
    captions: (slotId) => readCaptions(page, slotId),
  });
