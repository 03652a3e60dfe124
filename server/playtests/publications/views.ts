import { pages } from "../../../src/contract/pages/addresses.ts";
import { iso, isoOrNull, secondsOf } from "../../lib/time.ts";
import { ownPage } from "./own.ts";
import type { PublishedVideoRow } from "./public-store.ts";
import type { PublicationDetailRow } from "./store.ts";

/** A publication as the owner of its slot sees it. */
export const publicationView = (row: PublicationDetailRow) => ({
  state: row.state,
  adapter: row.adapter,
  url: row.state === "removed" ? null : row.published_url,
  remoteId: row.remote_id,
  reason: row.error ?? row.reason,
  attempts: row.attempts,
  nextAttemptAt: isoOrNull(row.next_attempt_at),
  bytesSent: row.bytes_sent,
  bytesTotal: row.bytes_total,
});

export const adminPublicationView = (row: PublicationDetailRow) => ({
  ...publicationView(row),
  detail: row.detail,
  id: row.id,
  slotId: row.slot_id,
  gameId: row.game_id,
  gameName: row.game_name,
  playtesterName: row.display_name ?? "",
  createdAt: iso(row.created_at),
});

/** A published video that everybody may watch, with its addresses on this server. */
export function publishedVideoView(config: { baseUrl: string }, video: PublishedVideoRow) {
  const at = (path: string) => config.baseUrl + path;
  return {
    slotId: video.id,
    gameId: video.game_id,
    gameName: video.game_name,
    gameUrl: video.external_url,
    playtesterName: video.published_name ?? "A playtester",
    publishedAt: iso(video.created_at),
    pageUrl: ownPage(config, video.id),
    publishedUrl: video.published_url,
    videoUrl: at(pages.watchVideo(video.id)),
    posterUrl: video.has_poster === 1 ? at(pages.watchPoster(video.id)) : null,
    captionsUrl: video.captions_key === null ? null : at(pages.watchCaptions(video.id)),
    durationSeconds: secondsOf(video.video_duration_ms),
  };
}
