import type { Deps } from "../../app/deps.ts";
import { type Handlers, listedFrom } from "../../http/call.ts";
import { conflict } from "../../lib/api-error.ts";
import { isoOrNull } from "../../lib/time.ts";
import { ownPlaytest } from "../find.ts";
import { playtestStatusAt } from "../slots/rules.ts";
import * as slots from "../slots/store.ts";
import { masked } from "./rules.ts";
import { addKeys, open, supplyOf } from "./service.ts";
import * as store from "./store.ts";

const view = (deps: Deps, row: store.KeyRow, reveal: boolean) => {
  const key = open(deps, row.playtest_id, row);
  const status = row.retired_at !== null ? "retired" : row.slot_id !== null ? "given" : "unused";
  return {
    key: reveal ? key : masked(key),
    status: status as "retired" | "given" | "unused",
    slotId: row.slot_id,
    retiredAt: isoOrNull(row.retired_at),
  };
};

export const playtestKeys = {
  async listPlaytestKeys(call) {
    const page = call.page();
    const { rows, supply } = await call.read(async (q) => {
      const playtest = await ownPlaytest(q, call.params.id, call.principal.userId);
      return { rows: await store.ofPlaytest(q, playtest.id), supply: await supplyOf(q, playtest) };
    });
    const items = rows.map((row) => ({ id: String(row.position), row }));
    return listedFrom(page, items, (shown) => ({
      keys: shown.map(({ row }) => view(call.deps, row, call.query.reveal)),
      ...supply,
    }));
  },

  addPlaytestKeys: (call) =>
    call.commit(async (tx) => {
      const playtest = await ownPlaytest(tx, call.params.id, call.principal.userId);
      const status = playtestStatusAt(playtest, await slots.statusesOf(tx, playtest.id), tx.now);
      if (status !== "active") throw conflict(`Only an active playtest takes keys. This one is ${status}. Nothing was added.`);
      const supply = await addKeys(tx, playtest, call.body.keys);
      return { added: call.body.keys.length, ...supply };
    }),
} satisfies Partial<Handlers>;
