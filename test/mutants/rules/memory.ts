import type { Mutant } from "../mutant.ts";

const memory = "server/database/sqlite/query-cache.ts";
const connection = "server/database/sqlite/connection.ts";

const rules: readonly Omit<Mutant, "test">[] = [
  { rule: "remembered rows go when one of their tables changes", edits: [[memory, "this.#drop(sql, text);", "void text;"]] },
  {
    rule: "remembered rows stay when other tables change",
    edits: [[memory, "if (this.#isChanged(text)) this.#drop", "this.#drop"]],
  },
  {
    rule: "remembered rows go when the schema changes",
    edits: [[memory, ".test(sql)) this.#allChanged = true;", ".test(sql)) void 0;"]],
  },
  {
    rule: "a transaction does not remember what it changed itself",
    edits: [[memory, "(inside && this.#isChanged(text))", "inside === undefined"]],
  },
  { rule: "joined tables count for remembered rows", edits: [[memory, "FROM|JOIN|INTO", "FROM|INTO"]] },
];

export const memoryRules: readonly Mutant[] = [
  ...rules.map((row) => ({ ...row, test: "store/memory", only: "tables" })),
  {
    rule: "what is remembered is asked anew after a commit",
    test: "api/games",
    edits: [[connection, "    this.#memory?.forget();\n", ""]],
  },
  {
    rule: "a transaction sees what it wrote, whatever was remembered",
    test: "api/games",
    edits: [[connection, "      this.#memory.write(prepared);\n", ""]],
  },
];
