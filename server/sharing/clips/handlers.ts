import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { signedUrl } from "../../lib/signed-links.ts";
import { iso } from "../../lib/time.ts";
import { stillLink, thumbnailLink } from "../../playtests/moments/views.ts";
import * as slots from "../../playtests/slots/store.ts";
import { requireCutter, requireDisk } from "../requirements.ts";
import { createClip, removeClip } from "./service.ts";
import * as store from "./store.ts";

function view(deps: Deps, row: store.ShownClipRow) {
  const file = {
    blobKey: store.blobKeyOf(row),
    filename: row.name,
    contentType: "video/mp4",
    disposition: "attachment",
  } as const;
  const { poster_id, poster_at_ms, thumbnail_size } = row;
  const poster = poster_id !== null && ({ id: poster_id, at_ms: poster_at_ms!, thumbnail_size, status: "ready" } as const);
  return {
    id: row.id,
    slotId: row.slot_id,
    playtestId: row.playtest_id,
    gameId: row.game_id,
    name: row.name,
    atMs: row.at_ms,
    endMs: row.end_ms,
    status: row.status,
    limit: row.limited_by,
    size: row.status === "ready" ? row.size : null,
    downloadUrl: row.status === "ready" ? signedUrl(deps, file).url : null,
    posterUrl: poster ? stillLink(deps, poster) : null,
    thumbnailUrl: poster ? thumbnailLink(deps, poster) : null,
    createdAt: iso(row.created_at),
  };
}

async function found(q: Query, id: string, ownerId: string) {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
}

/** Clips that owners cut out of videos. */
export const clips = {
  async createClip(call) {
    const ownerId = call.principal.userId;
    if (!(await call.read((q) => slots.findForOwner(q, call.params.id, ownerId)))) throw notFound();
    requireCutter(call.deps);
    await requireDisk(call.deps);
    return call.commit(async (tx) => ({
      clip: view(call.deps, await createClip(call.deps, tx, ownerId, call.params.id, call.body)),
    }));
  },

  async listClips(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await slots.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return store.list(q, call.params.id, page);
    });
    return call.listed(page, rows, (items) => ({ clips: items.map((row) => view(call.deps, row)) }));
  },

  getClip: (call) => call.read(async (q) => ({ clip: view(call.deps, await found(q, call.params.id, call.principal.userId)) })),

  deleteClip: (call) =>
    call.commit(async (tx) => {
      const { id } = await found(tx, call.params.id, call.principal.userId);
      await removeClip(tx, id);
      return { message: "The clip is deleted." };
    }),
} satisfies Partial<Handlers>;
