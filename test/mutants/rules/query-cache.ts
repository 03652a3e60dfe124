import type { Mutant } from "../mutant.ts";

const cache = "server/database/sqlite/query-cache.ts";
const connection = "server/database/sqlite/connection.ts";

export const queryCacheRules: readonly Mutant[] = [
  {
    rule: "query cache: bounded",
    test: "unit/query-cache",
    edits: [[cache, "if (this.#bytes >= maxBytes) {", "if (this.#bytes < 0) {"]],
  },
  {
    rule: "query cache: long answers are not kept",
    test: "unit/query-cache",
    edits: [[cache, "  if (rows.length > maxRows) return undefined;\n", ""]],
  },
  {
    rule: "query cache: rows cannot be changed by who got them",
    test: "unit/query-cache",
    edits: [[cache, "for (const row of answer) Object.freeze(row);", "void answer;"]],
  },
  {
    rule: "query cache: one row and all rows are two answers",
    test: "store/transactions",
    edits: [[connection, "recall(what + prepared.name,", "recall(prepared.name,"]],
  },
  {
    rule: "query cache: a read after a commit sees it",
    test: "store/transactions",
    edits: [[connection, "    this.#cache?.committing();\n", ""]],
  },
  {
    rule: "query cache: a transaction sees what it wrote",
    test: "store/transactions",
    edits: [[connection, "(this.#writes && reads.some(({ changed }) => changed))", "false"]],
  },
  {
    rule: "query cache: files are not kept",
    test: "unit/query-cache",
    edits: [[cache, "      if (field instanceof Uint8Array) return undefined;\n", ""]],
  },
  {
    rule: "query cache: after an index or trigger was made, nothing of a table is certain",
    test: "unit/query-cache",
    edits: [[cache, "tables ?? this.#tables.values()", "tables ?? []"]],
  },
];
