import { enumerated } from "./002-enumerations.ts";
import { withKinds } from "./039-publications.ts";
import { kinds as earlier } from "./042-order-approvals.ts";

export const kinds = [...earlier, "finding.created", "finding.merged", "finding.closed", "finding.reopened"];

/**
 * What owners find in the videos of a game, with its evidence: moments, and spans that are no moment. A finding that was merged into another stays,
 * so that this can be undone: `finding_changes` says which evidence a merge or split moved from which finding to which. `games.last_finding` is
 * the number that was given last.
 */
export const findings = {
  name: "043-findings",
  statements: [
    "ALTER TABLE games ADD COLUMN last_finding {int} NOT NULL DEFAULT 0",
    `CREATE TABLE findings (
      id TEXT PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (id), owner_id TEXT NOT NULL REFERENCES users (id), number {int} NOT NULL,
      title TEXT NOT NULL, body TEXT NOT NULL, kind TEXT NOT NULL, severity {int}, tags TEXT NOT NULL, status TEXT NOT NULL,
      merged_into TEXT REFERENCES findings (id), created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX findings_by_number ON findings (game_id, number)",
    "CREATE INDEX findings_by_owner ON findings (owner_id)",
    "CREATE INDEX findings_merged ON findings (merged_into) WHERE merged_into IS NOT NULL",
    ...enumerated("findings", {
      kind: ["bug", "confusion", "delight", "idea", "note"],
      status: ["open", "filed", "fixed", "verified", "wontfix"],
    }),
    `CREATE TABLE finding_evidence (
      id TEXT PRIMARY KEY, finding_id TEXT NOT NULL REFERENCES findings (id), game_id TEXT NOT NULL REFERENCES games (id),
      owner_id TEXT NOT NULL REFERENCES users (id), slot_id TEXT NOT NULL REFERENCES slots (id), moment_id TEXT UNIQUE REFERENCES moments (id),
      at_ms {int} NOT NULL, end_ms {int}, quote TEXT, created_at {int} NOT NULL) {strict}`,
    "CREATE INDEX finding_evidence_by_finding ON finding_evidence (finding_id)",
    "CREATE INDEX finding_evidence_by_game ON finding_evidence (game_id)",
    "CREATE INDEX finding_evidence_by_slot ON finding_evidence (slot_id)",
    "CREATE INDEX finding_evidence_by_owner ON finding_evidence (owner_id)",
    `CREATE TABLE finding_changes (
      id TEXT PRIMARY KEY, kind TEXT NOT NULL, from_id TEXT NOT NULL REFERENCES findings (id), to_id TEXT NOT NULL REFERENCES findings (id),
      owner_id TEXT NOT NULL REFERENCES users (id), evidence_ids TEXT NOT NULL, created_at {int} NOT NULL, undone_at {int}) {strict}`,
    "CREATE INDEX finding_changes_from ON finding_changes (from_id)",
    "CREATE INDEX finding_changes_to ON finding_changes (to_id)",
    "CREATE INDEX finding_changes_by_owner ON finding_changes (owner_id)",
    ...enumerated("finding_changes", { kind: ["merge", "split"] }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
    "ALTER TABLE search_passages DROP CONSTRAINT search_passages_source_check",
    ...enumerated("search_passages", { source: ["transcript", "takeaway", "notes", "moment", "finding"] }),
  ],
};
