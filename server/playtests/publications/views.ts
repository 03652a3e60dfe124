import { iso, isoOrNull } from "../../lib/time.ts";
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
  id: row.id,
  slotId: row.slot_id,
  gameId: row.game_id,
  gameName: row.game_name,
  playtesterName: row.display_name ?? "",
  createdAt: iso(row.created_at),
});
