import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import * as slots from "../slots/store.ts";
import * as playtests from "../store.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { momentView } from "./views.ts";

const view = (deps: Deps, row: store.ShownMomentRow) => momentView(deps, row);
const found = async (q: Query, id: string, ownerId: string) => {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
};

/** What an owner notes at moments of the videos. */
export const moments = {
  createMoment: (call) =>
    call.commit(async (tx) => {
      const row = await service.create(tx, call.principal.userId, call.params.id, call.body);
      return { moment: view(call.deps, await found(tx, row.id, row.owner_id)) };
    }),

  async listSlotMoments(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await slots.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return store.listOfSlot(q, call.params.id, call.query, page);
    });
    // The cursor of this list is a position in the video, not a time of creation.
    const inOrder = rows.map((row) => ({ id: row.id, created_at: row.at_ms, row }));
    return call.listed(page, inOrder, (items) => ({ moments: items.map(({ row }) => view(call.deps, row)) }));
  },

  async listPlaytestMoments(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await playtests.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return store.list(q, "playtest", call.params.id, call.query, page);
    });
    return call.listed(page, rows, (items) => ({ moments: items.map((row) => view(call.deps, row)) }));
  },

  async listGameMoments(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await games.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return store.list(q, "game", call.params.id, call.query, page);
    });
    return call.listed(page, rows, (items) => ({ moments: items.map((row) => view(call.deps, row)) }));
  },

  updateMoment: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      await service.change(call.deps, tx, row, call.body);
      return { moment: view(call.deps, await found(tx, row.id, row.owner_id)) };
    }),

  deleteMoment: (call) =>
    call.commit(async (tx) => {
      await service.remove(tx, await found(tx, call.params.id, call.principal.userId));
      return { message: "The moment is deleted." };
    }),
} satisfies Partial<Handlers>;
