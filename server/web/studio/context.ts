import type { PageContext } from "../shared/types.ts";
import type { StudioContext, StudioLinks } from "./types.ts";

const links: StudioLinks = {
  video: (slotId) => `/studio/slots/${slotId}/video`,
  captions: (slotId) => `/studio/slots/${slotId}/captions`,
};

export const studioContext =
  ({ cli, account }: Pick<StudioContext, "cli" | "account">) =>
  (page: PageContext): StudioContext => ({ ...page, links, cli, account });
