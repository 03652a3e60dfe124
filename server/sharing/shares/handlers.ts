import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import type { ShareKind, ShareState } from "../../../src/contract/sharing/kinds.ts";
import { refuseCommon } from "../../accounts/guessable.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Call, Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { ownPlaytest } from "../../playtests/find.ts";
import * as slots from "../../playtests/slots/store.ts";
import * as clips from "../clips/store.ts";
import { createShare, type Shared } from "./service.ts";
import * as store from "./store.ts";

type Creation = "createSlotShare" | "createPlaytestShare" | "createClipShare";

function kindOf({ slot_id, clip_id }: Shared): ShareKind {
  if (clip_id !== null) return "clip";
  return slot_id === null ? "playtest" : "slot";
}

const view = (deps: Deps, row: store.ShownShareRow) => ({
  id: row.id,
  kind: kindOf(row),
  playtestId: row.playtest_id,
  slotId: row.slot_id,
  clipId: row.clip_id,
  gameName: row.game_name,
  url: `${deps.config.baseUrl}${pages.share(deps.secrets.open(row.token, store.tokenContext(row.id)))}`,
  state: stateOf(deps, row),
  hasPassword: row.password_hash !== null,
  withName: row.with_name === 1,
  withNotes: row.with_moments === 1,
  noteIds: JSON.parse(row.moment_ids) as string[],
  views: row.views,
  lastViewedAt: isoOrNull(row.last_viewed_at),
  expiresAt: iso(row.expires_at),
  createdAt: iso(row.created_at),
});

function stateOf(deps: Deps, { expires_at, videos }: store.ShownShareRow): ShareState {
  if (expires_at <= deps.clock.now()) return "expired";
  return videos > 0 ? "active" : "ended";
}

async function found(q: Query, id: string, ownerId: string) {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
}

async function create(call: Call<Contract[Creation]>, sharedOf: (q: Query) => Promise<Shared>) {
  const ownerId = call.principal.userId;
  const { password, ...wanted } = call.body as BodyOut<Contract[Creation]>;
  // Before the password is hashed, which takes a while.
  await call.read(sharedOf);
  if (password !== undefined) await refuseCommon("password", password);
  const passwordHash = password === undefined ? null : await call.deps.passwords.hash(password, call.client.signal);
  return call.commit(async (tx, trail) => {
    const row = await createShare(tx, ownerId, await sharedOf(tx), { ...wanted, passwordHash });
    trail.created(row.id, { action: "share.create" });
    return { share: view(call.deps, await found(tx, row.id, ownerId)) };
  });
}

/** Public links to videos and clips. */
export const shares = {
  createSlotShare: (call) =>
    create(call, async (q) => {
      const slot = await slots.findForOwner(q, call.params.id, call.principal.userId);
      if (!slot) throw notFound();
      return { playtest_id: slot.playtest_id, slot_id: slot.id, clip_id: null };
    }),

  createPlaytestShare: (call) =>
    create(call, async (q) => {
      const { id } = await ownPlaytest(q, call.params.id, call.principal.userId);
      return { playtest_id: id, slot_id: null, clip_id: null };
    }),

  createClipShare: (call) =>
    create(call, async (q) => {
      const clip = await clips.findForOwner(q, call.params.id, call.principal.userId);
      if (!clip) throw notFound();
      return { playtest_id: clip.playtest_id, slot_id: clip.slot_id, clip_id: clip.id };
    }),

  async listShares(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.principal.userId, call.query, page));
    return call.listed(page, rows, (items) => ({ shares: items.map((row) => view(call.deps, row)) }));
  },

  deleteShare: (call) =>
    call.commit(async (tx) => {
      const { id } = await found(tx, call.params.id, call.principal.userId);
      await store.remove(tx, id);
      return { message: "The share has ended: its link no longer works." };
    }),
} satisfies Partial<Handlers>;
