import type { Deps } from "../deps.ts";
import type { Query } from "../store/db.ts";
import type { GameRow } from "../store/games.ts";
import type { Video } from "./slots.ts";

/** The complete video uploaded for a slot, the newest if there are several. */
export async function completedVideo(tx: Query, slotId: string): Promise<Video | undefined> {
  const row = await tx.one<{ id: string; size: number; filename: string; filetype: string | null }>(
    "SELECT id, size, filename, filetype FROM uploads WHERE slot_id = ? AND kind = 'video' AND status = 'complete' ORDER BY completed_at DESC, id DESC LIMIT 1",
    slotId,
  );
  return row && { blobKey: row.id, size: row.size, filename: row.filename, contentType: row.filetype ?? "video/mp4" };
}

/** Where the holder of a slot gets the build. */
export const holderBuildUrl = (_deps: Deps, game: GameRow) => game.build_url;
