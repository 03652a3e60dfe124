import type { Publisher } from "./index.ts";

/** Publishes on this server's own watch pages. Nothing is sent anywhere, so a video is public at once. */
export const createEmbeddedPublisher = (baseUrl: string): Publisher => ({
  name: "embedded",
  publish: async ({ slotId }) => ({ url: `${baseUrl}/watch/${slotId}` }),
});
