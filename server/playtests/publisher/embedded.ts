import type { Publisher } from "./index.ts";

/** This server's own watch pages: there is nothing to send, so a video is out at once. */
export const createEmbeddedPublisher = (baseUrl: string): Publisher => ({
  name: "embedded",
  publish: async ({ slotId }) => ({ url: `${baseUrl}/watch/${slotId}` }),
});
