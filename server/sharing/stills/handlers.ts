import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { HandlersFor } from "../../http/call.ts";
import { notFound } from "../../lib/problem.ts";
import { removeOfMoment } from "../../playtests/moments/stills.ts";
import * as store from "../../playtests/moments/stills-store.ts";
import * as moments from "../../playtests/moments/store.ts";
import { stillState } from "../../playtests/moments/views.ts";
import { requireCutter, requireDisk } from "../requirements.ts";
import { stillOf } from "./service.ts";

type Ops = "putStill" | "getStill" | "deleteStill";

/** Still images of moments. */
export function stills(deps: Deps): HandlersFor<Ops> {
  const view = (row: store.StillRow) => ({
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

  return {
    async putStill(call) {
      const { params, principal } = call;
      await call.read((q) => momentOf(q, params.id, principal.userId));
      requireCutter(deps);
      await requireDisk(deps);
      return call.commit(async (tx) => ({
        still: view(await stillOf(deps, tx, await momentOf(tx, params.id, principal.userId))),
      }));
    },

    getStill: (call) =>
      call.read(async (q) => {
        const still = await store.ofMoment(q, (await momentOf(q, call.params.id, call.principal.userId)).id);
        if (!still) throw notFound();
        return { still: view(still) };
      }),

    deleteStill: (call) =>
      call.commit(async (tx) => {
        const { id } = await momentOf(tx, call.params.id, call.principal.userId);
        if (!(await removeOfMoment(tx, id))) throw notFound();
        return { message: "The still image is deleted." };
      }),
  };
}
