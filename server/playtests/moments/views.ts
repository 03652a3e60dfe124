import { positionInLink } from "../../../src/contract/text/position.ts";
import type { Deps } from "../../app/deps.ts";
import { type Download, signedUrl } from "../../lib/signed-links.ts";
import { iso } from "../../lib/time.ts";
import { blobKeyOf, type StillRow, thumbnailKeyOf } from "./stills-store.ts";
import type { ShownMomentRow } from "./store.ts";

type Still = Pick<StillRow, "id" | "at_ms" | "status" | "thumbnail_size">;

/** The file of a still image. */
export const stillFile = (still: Pick<StillRow, "id" | "at_ms">, disposition: Download["disposition"]) =>
  imageFile(blobKeyOf(still), still, disposition);

/** The file of its small copy; the image itself where it was cut without one. */
export const thumbnailFile = (still: Pick<StillRow, "id" | "at_ms" | "thumbnail_size">, disposition: Download["disposition"]) =>
  imageFile(still.thumbnail_size === null ? blobKeyOf(still) : thumbnailKeyOf(still), still, disposition);

const imageFile = (blobKey: string, still: Pick<StillRow, "at_ms">, disposition: Download["disposition"]): Download => ({
  blobKey,
  filename: `still-${positionInLink(still.at_ms)}.jpg`,
  contentType: "image/jpeg",
  disposition,
});

/** A link to a still image that works without signing in; null until it is cut. */
export const stillLink = (deps: Deps, still: Still): string | null =>
  still.status === "ready" ? signedUrl(deps, stillFile(still, "attachment")).url : null;

/** A link to its small copy, like `stillLink`. */
export const thumbnailLink = (deps: Deps, still: Still): string | null =>
  still.status === "ready" ? signedUrl(deps, thumbnailFile(still, "inline")).url : null;

/** What became of a still, and the links to it. */
export const stillState = (deps: Deps, still: Still & Pick<StillRow, "limited_by">) => ({
  status: still.status,
  limit: still.limited_by,
  downloadUrl: stillLink(deps, still),
  thumbnailUrl: thumbnailLink(deps, still),
});

const momentStill = (deps: Deps, { still_id: id, still_status: status, ...row }: ShownMomentRow) =>
  id === null || status === null ? null : stillState(deps, { ...row, id, status });

export const momentView = (deps: Deps, row: ShownMomentRow) => ({
  id: row.id,
  slotId: row.slot_id,
  playtestId: row.playtest_id,
  gameId: row.game_id,
  buildId: row.build_id,
  atMs: row.at_ms,
  endMs: row.end_ms,
  kind: row.kind,
  severity: row.severity,
  text: row.body,
  tags: JSON.parse(row.tags) as string[],
  author: { id: row.author_id, displayName: row.author_name },
  still: momentStill(deps, row),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
});
