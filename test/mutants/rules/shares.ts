import type { Mutant } from "../mutant.ts";

const store = "server/sharing/shares/store.ts";
const cookies = "server/sharing/shares/cookies.ts";
const shown = "server/sharing/shares/public.ts";

const rows: readonly Omit<Mutant, "test">[] = [
  {
    rule: "a share expires",
    edits: [[store, "token_hash = ? AND expires_at > ?", "token_hash = ? AND created_at < ? + expires_at"]],
  },
  {
    rule: "a share that is ended is gone",
    edits: [[store, '"DELETE FROM shares WHERE id = ?"', '"DELETE FROM shares WHERE id = ? AND views < 0"']],
  },
  {
    rule: "files need the password",
    edits: [[shown, "    if (!isUnlocked(this.#deps, headers, share)) throw notFound();\n", ""]],
  },
  {
    rule: "a password opens one share",
    edits: [[cookies, "sameText(mac, proof(deps, share, until))", "mac.length === proof(deps, share, until).length"]],
  },
  {
    rule: "a share of one slot shows that slot only",
    edits: [[store, 'slot_id === null ? "" : "AND s.id = ?"', 'slot_id === null ? "" : "AND ? IS NOT NULL"']],
  },
];

export const sharesRules: readonly Mutant[] = rows.map((row) => ({ ...row, test: "api/shares" }));
