import type { Mutant } from "../mutant.ts";

/** What the audit log has to say, and that nobody edits it unseen. */
export const auditRules: readonly Mutant[] = [
  {
    rule: "an audited operation writes an entry",
    test: "api/audit",
    edits: [["server/http/execute.ts", "if (this.#endpoint.audit) await trail.write();", ""]],
  },
  {
    rule: "an audit entry has the state before the change",
    test: "api/audit",
    edits: [
      ["server/http/execute.ts", 'if (path.includes("/:id")) await trail.changing', 'if (path.includes("/:id")) trail.created'],
    ],
  },
  {
    rule: "the audit chain covers the previous entry",
    test: "api/audit",
    edits: [["server/audit/chain.ts", "[previousHash, seq, ...", "[seq, ..."]],
  },
  {
    rule: "an audit entry that was cut off the end of the chain is found",
    test: "api/audit",
    edits: [["server/audit/checks.ts", "if (strays.length > 0)", "if (false)"]],
  },
  {
    rule: "the audit log has no email address",
    test: "api/audit",
    edits: [["server/audit/subjects-store.ts", "return sha256(value as string);", "return value;"]],
  },
];
