import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { removeOfMoment } from "../../playtests/moments/stills.ts";
import * as store from "../../playtests/moments/stills-store.ts";
import * as moments from "../../playtests/moments/store.ts";
import { stillState } from "../../playtests/moments/views.ts";
import { requireCutter, requireDisk } from "../requirements.ts";
import { stillOf } from "./service.ts";

const view = (deps: Deps, row: store.StillRow) => ({
  momentId: row.moment_id!,
  slotId: row.slot_id,
  atMs: row.at_ms,
  size: row.status === "ready" ? row.size : null,
  ...stillState(deps, row),
});

async function momentOf(q: Query, id: string, ownerId: string) {
  const row = await moments.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
}

/** Still images of moments. */
export const stills = {
  async putStill(call) {
    const { params, principal } = call;
    await call.read((q) => momentOf(q, params.id, principal.userId));
    requireCutter(call.deps);
    await requireDisk(call.deps);
    return call.commit(async (tx) => ({
      still: view(call.deps, await stillOf(call.deps, tx, await momentOf(tx, params.id, principal.userId))),
    }));
  },

  getStill: (call) =>
    call.read(async (q) => {
      const still = await store.ofMoment(q, (await momentOf(q, call.params.id, call.principal.userId)).id);
      if (!still) throw notFound();
      return { still: view(call.deps, still) };
    }),

  deleteStill: (call) =>
    call.commit(async (tx) => {
      const { id } = await momentOf(tx, call.params.id, call.principal.userId);
      if (!(await removeOfMoment(tx, id))) throw notFound();
      return { message: "The still image is deleted." };
    }),
} satisfies Partial<Handlers>;
