import type { Mutant } from "../mutant.ts";

const groups = "server/database/sqlite/group-commit.ts";
const [test, only] = ["store/sqlite", "SQLite group commit"];

export const groupCommitRules: readonly Mutant[] = [
  { rule: "group commit: of the writes of several turns", test, only, edits: [[groups, "if (more) this", "if (false) this"]] },
  {
    rule: "group commit: waits 40 ms at most",
    test,
    only,
    edits: [[groups, " && performance.now() - since < gatherMs", ""]],
  },
  {
    rule: "group commit: 64 writes at most",
    test,
    only,
    edits: [[groups, "this.#queue.splice(0, GROUP_SIZE)", "this.#queue.splice(0)"]],
  },
  { rule: "group commit: a full group does not wait", test, only, edits: [[groups, " && count < GROUP_SIZE", ""]] },
];
