import { type AreaParts, givenOf, mediaOf, signedInArea } from "../sign-in/area.ts";
import { studioDoor } from "../sign-in/doors.ts";
import type { Page } from "../types.ts";
import { studioPages } from "./area.ts";

export interface StudioParts extends AreaParts {
  /** The text of the captions of a slot that this account ordered; undefined without any. */
  readCaptions(userId: string, slotId: string): Promise<string | undefined>;
}

/** `/studio`: the pages for game owners, who sign in as playtesters do at `/play`. */
export function studio(parts: StudioParts): Page {
  const pages = studioPages(givenOf(parts), {
    cli: (command) => command,
    account: { instance: null, signsOut: true },
    offers: async () => true,
    keepsMoments: () => false,
    readCaptions: ({ session }, slotId) => parts.readCaptions(session.userId, slotId),
    sendMedia: mediaOf(parts),
  });
  return signedInArea(studioDoor, parts, pages);
}
