import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { signedUrl } from "../../lib/signed-links.ts";
import { iso } from "../../lib/time.ts";
import { stillLink, thumbnailLink } from "../../playtests/moments/views.ts";
import * as slots from "../../playtests/slots/store.ts";
import { createReel } from "../reels/service.ts";
import { requireCutter, requireDisk } from "../requirements.ts";
import { createClip, removeClip } from "./service.ts";
import * as store from "./store.ts";

const partView = ({ slot_id, at_ms, end_ms, title, facts }: store.PartRow) => ({
  slotId: slot_id,
  atMs: at_ms,
  endMs: end_ms,
  title,
  facts,
});

async function view(deps: Deps, q: Query, row: store.ShownClipRow) {
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
    parts: row.captions === null ? null : (await store.partsOf(q, row.id)).map(partView),
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
      clip: await view(call.deps, tx, await createClip(call.deps, tx, ownerId, call.params.id, call.body)),
    }));
  },

  async createReel(call) {
    const ownerId = call.principal.userId;
    if (!(await call.read((q) => games.findForOwner(q, call.params.id, ownerId)))) throw notFound();
    requireCutter(call.deps);
    await requireDisk(call.deps);
    return call.commit(async (tx) => ({
      clip: await view(call.deps, tx, await createReel(call.deps, tx, ownerId, call.params.id, call.body)),
    }));
  },

  async listClips(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      if (!(await slots.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      const found = await store.list(q, call.params.id, page);
      return { rows: found, views: await Promise.all(found.map((row) => view(call.deps, q, row))) };
    });
    return call.listed(page, rows, (items) => ({ clips: views.slice(0, items.length) }));
  },

  getClip: (call) =>
    call.read(async (q) => ({ clip: await view(call.deps, q, await found(q, call.params.id, call.principal.userId)) })),

  deleteClip: (call) =>
    call.commit(async (tx) => {
      const { id } = await found(tx, call.params.id, call.principal.userId);
      await removeClip(tx, id);
      return { message: "The clip is deleted." };
    }),
} satisfies Partial<Handlers>;
