import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import * as store from "./public-store.ts";
import { publishedVideoView } from "./views.ts";

/** The published videos, for everybody. */
export const publishedVideos = {
  getPublishedVideo: (call) =>
    call.read(async (q) => {
      const video = await store.find(q, call.params.id);
      if (!video) throw notFound();
      return { video: publishedVideoView(q.config, video) };
    }),

  async listPublishedVideos(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query.game, page));
    return call.listed(page, rows, (items) => ({
      videos: items.map((video) => publishedVideoView(call.deps.config, video)),
    }));
  },
} satisfies Partial<Handlers>;
