import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { joinConsent, publishedNameSql } from "./consents-store.ts";

/** A video that is published on this server's own pages, as everybody sees it. */
export interface PublishedVideoRow {
  /** The slot. */
  id: string;
  blob_key: string;
  content_type: string;
  video_duration_ms: number | null;
  /** When it was published (ms). */
  created_at: number;
  published_url: string;
  game_id: string;
  game_name: string;
  external_url: string | null;
  /** The playtester's name in the account, which is not to be shown. */
  display_name: string;
  /** What its playtester wants to be called; null for no name. */
  published_name: string | null;
  has_poster: number;
  /** The transcript that is shown; null without one. */
  captions_key: string | null;
}

/** SQL for whether a platform shows the video of slot `s`: its playtester consented to that instead of the pages of this server. */
const isElsewhere =
  "EXISTS (SELECT 1 FROM publications c WHERE c.slot_id = s.id AND c.state = 'published' AND c.adapter <> 'own')";

/** SQL for the published videos `v` that meet a condition, of games and owners that are not suspended. */
const published = (
  condition: string,
) => `(SELECT s.id, b.blob_key, b.content_type, b.video_duration_ms, b.published_at AS created_at, b.published_url,
    g.id AS game_id, g.name AS game_name, g.external_url, u.display_name, ${publishedNameSql} AS published_name,
    CASE WHEN EXISTS (SELECT 1 FROM stills i WHERE i.slot_id = s.id AND i.moment_id IS NULL AND i.clip_id IS NULL AND i.status = 'ready') THEN 1 ELSE 0 END AS has_poster,
    CASE WHEN t.status <> 'approved' THEN NULL WHEN t.selected_version = 'edited' THEN t.edited_key ELSE t.original_key END AS captions_key
  FROM submissions b JOIN slots s ON s.id = b.slot_id JOIN playtests p ON p.id = s.playtest_id JOIN games g ON g.id = s.game_id
  JOIN users o ON o.id = s.owner_id JOIN users u ON u.id = s.playtester_id ${joinConsent} LEFT JOIN transcriptions t ON t.slot_id = s.id
  WHERE b.published_at IS NOT NULL AND p.visibility = 'public' AND s.status = 'accepted' AND g.status <> 'suspended'
    AND o.suspended_at IS NULL AND ${condition}) v`;
const here = published(`NOT ${isElsewhere}`);

export const find = (q: Query, slotId: string) => q.one<PublishedVideoRow>(`SELECT v.* FROM ${here} WHERE v.id = ?`, slotId);

/** Where a platform shows a video. Undefined for one that none shows. */
export const findElsewhere = async (q: Query, slotId: string) =>
  (await q.one<PublishedVideoRow>(`SELECT v.* FROM ${published(isElsewhere)} WHERE v.id = ?`, slotId))?.published_url;

/** The videos that are published here, newest first: all, or those of a game. */
export function list(q: Query, gameId: string | undefined, page: Page) {
  const [condition, only] = gameId === undefined ? ["1 = 1", []] : ["v.game_id = ?", [gameId]];
  return paged(q, page, "v").all<PublishedVideoRow>(`SELECT v.* FROM ${here} WHERE ${condition}`, ...only);
}

export interface PublicAddress {
  slot_id: string;
  game_id: string;
  published_at: number;
}

/** The newest videos that are published here, with their games, for search engines. */
export const addresses = (q: Query, max: number) =>
  q.all<PublicAddress>(
    `SELECT v.id AS slot_id, v.game_id, v.created_at AS published_at FROM ${here} ORDER BY v.created_at DESC, v.id DESC LIMIT CAST(? AS INTEGER)`,
    max,
  );
