// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

const store = "server/search/store.ts";
const rules: readonly Omit<Mutant, "test">[] = [
  {
    rule: "a search finds only what belongs to its owner",
    edits: [
      [store, "{ owner: ownerId, game, playtest,", "{ game, playtest,"],
      [store, "AND p.owner_id = ? ORDER BY p.seq", "AND p.owner_id <> ? || 'x' ORDER BY p.seq"],
    ],
  },
  {
    rule: "a deleted moment is not found",
    edits: [["server/playtests/moments/service.ts", "  search.remove(tx, slot_id, { momentId: id });\n", ""]],
  },
  {
    rule: "the index of a deleted account goes with it",
    edits: [["server/personal/service.ts", "  search.removeOwner(tx, id);\n", ""]],
  },
];

export const searchRules: readonly Mutant[] = rules.map((rule) => ({ ...rule, test: "api/search" }));
