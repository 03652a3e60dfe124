import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { ShareState } from "../../../src/contract/sharing/kinds.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Call, HandlersFor } from "../../http/call.ts";
import { notFound } from "../../lib/problem.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { ownPlaytest } from "../../playtests/find.ts";
import * as slots from "../../playtests/slots/store.ts";
import { createShare, type Shared } from "./service.ts";
import * as store from "./store.ts";

type Ops = "createSlotShare" | "createPlaytestShare" | "listShares" | "deleteShare";
type Creation = "createSlotShare" | "createPlaytestShare";

/** Public links to videos. */
export function shares(deps: Deps): HandlersFor<Ops> {
  const view = (row: store.ShownShareRow) => ({
    id: row.id,
    kind: row.slot_id === null ? ("playtest" as const) : ("slot" as const),
    playtestId: row.playtest_id,
    slotId: row.slot_id,
    gameName: row.game_name,
    url: `${deps.config.baseUrl}/share/${deps.secrets.open(row.token, store.tokenContext(row.id))}`,
    state: stateOf(row),
    hasPassword: row.password_hash !== null,
    withName: row.with_name === 1,
    withNotes: row.with_moments === 1,
    noteIds: JSON.parse(row.moment_ids) as string[],
    views: row.views,
    lastViewedAt: isoOrNull(row.last_viewed_at),
    expiresAt: iso(row.expires_at),
    createdAt: iso(row.created_at),
  });

  function stateOf({ expires_at, videos }: store.ShownShareRow): ShareState {
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
    const passwordHash = password === undefined ? null : await deps.passwords.hash(password, call.client.signal);
    return call.commit(async (tx, trail) => {
      const row = await createShare(deps, tx, ownerId, await sharedOf(tx), { ...wanted, passwordHash });
      trail.created(row.id, { action: "share.create" });
      return { share: view(await found(tx, row.id, ownerId)) };
    });
  }

  return {
    createSlotShare: (call) =>
      create(call, async (q) => {
        const slot = await slots.findForOwner(q, call.params.id, call.principal.userId);
        if (!slot) throw notFound();
        return { playtest_id: slot.playtest_id, slot_id: slot.id };
      }),

    createPlaytestShare: (call) =>
      create(call, async (q) => {
        const { id } = await ownPlaytest(q, call.params.id, call.principal.userId);
        return { playtest_id: id, slot_id: null };
      }),

    async listShares(call) {
      const page = call.page();
      const rows = await call.read((q) => store.list(q, call.principal.userId, call.query, page));
      return call.listed(page, rows, (items) => ({ shares: items.map(view) }));
    },

    deleteShare: (call) =>
      call.commit(async (tx) => {
        const { id } = await found(tx, call.params.id, call.principal.userId);
        await store.remove(tx, id);
        return { message: "The share has ended: its link no longer works." };
      }),
  };
}
