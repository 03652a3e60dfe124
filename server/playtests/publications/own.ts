import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Publisher } from "./publisher.ts";

/** The server's own page of a published video. */
export const ownPage = ({ baseUrl }: { baseUrl: string }, slotId: string) => baseUrl + pages.watch(slotId);

/** Publishes on this server's own pages. Nothing is sent anywhere, so a video is public at once. */
export const createOwnPublisher = (config: { baseUrl: string }): Publisher => ({
  start: async () => "",
  advance: async (_session, { slotId }) => ({ is: "published", url: ownPage(config, slotId), remoteId: null }),
  remove: async () => {},
});
