import type { Handlers } from "../http/call.ts";
import { entryFields, firstHash } from "./chain.ts";
import { namesOf } from "./names-store.ts";
import * as store from "./store.ts";

export const audit = {
  async listAudit(call) {
    // Adds committed entries to the chain first, including those of other processes, so that none is listed without a hash.
    await call.deps.audit.chain();
    const page = call.page();
    const { rows, names } = await call.read(async (q) => {
      const found = await store.list(q, call.query, page);
      return { rows: found, names: await namesOf(q, found.flatMap(idsIn)) };
    });
    return call.listed(page, rows, (items) => ({ entries: items.map((row) => entryView(row, names)) }));
  },
} satisfies Partial<Handlers>;

const idsIn = ({ actor_id, target_id }: store.ChainedRow) => [...(actor_id === null ? [] : [actor_id]), target_id];

const entryView = (row: store.ChainedRow, names: ReadonlyMap<string, string>) => ({
  ...entryFields(row),
  seq: row.seq,
  previousHash: row.seq === 1 ? firstHash : row.previous_hash,
  hash: row.hash,
  actorName: names.get(row.actor_id ?? "") ?? null,
  targetName: names.get(row.target_id) ?? null,
});
