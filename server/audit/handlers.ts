import type { Deps } from "../app/deps.ts";
import type { HandlersFor } from "../http/call.ts";
import { entryFields, firstHash } from "./chain.ts";
import * as store from "./store.ts";

export function audit(deps: Deps): HandlersFor<"listAudit"> {
  return {
    async listAudit(call) {
      // Adds committed entries to the chain first, including those of other processes, so that none is listed without a hash.
      await deps.audit.chain();
      const page = call.page();
      const rows = await call.read((q) => store.list(q, call.query, page));
      return call.listed(page, rows, (items) => ({ entries: items.map(entryView) }));
    },
  };
}

const entryView = (row: store.ChainedRow) => ({
  ...entryFields(row),
  seq: row.seq,
  previousHash: row.seq === 1 ? firstHash : row.previous_hash,
  hash: row.hash,
});
