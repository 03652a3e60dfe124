import { plural } from "../../src/contract/text/plural.ts";
import type { Check, Query } from "../database/port.ts";
import { type EntryRow, firstHash, hashOf } from "./chain.ts";
import * as store from "./store.ts";

const batch = 1000;
const help =
  "Violated invariant: the audit log is complete and unchanged. Something other than this program edited it, so what it says about " +
  "that time cannot be trusted. Stop the server, keep a copy of the database, and compare it with a backup or with an exported log.";

const broken = (detail: string): Check => ({ name: "audit_chain", ok: false, detail, help });

/** Verifies the hash chain of the audit log from its first entry to its last. */
export async function checkAudit(q: Query): Promise<Check> {
  let [seq, previous] = [0, firstHash];
  for (let size = batch; size === batch; ) {
    const links = await store.linksAfter(q, seq, batch);
    size = links.length;
    for (const link of links) {
      if (link.seq !== seq + 1) return broken(`entry ${seq + 1} is missing`);
      if (link.id === null) return broken(`entry ${link.seq} (${link.entry_id}) is missing`);
      if (hashOf(previous, link.seq, link as EntryRow) !== link.hash)
        return broken(`entry ${link.seq} (${link.entry_id}) does not match its hash`);
      [seq, previous] = [link.seq, link.hash];
    }
  }
  const strays = await store.strays(q);
  if (strays.length > 0)
    return broken(`${plural(strays.length, "entry is", "entries are")} not in the chain, such as ${strays[0]}`);
  return {
    name: "audit_chain",
    ok: true,
    detail: seq === 0 ? "no entries" : `${plural(seq, "entry", "entries")}; the last has the hash ${previous}`,
  };
}
