import type { BodyOut } from "../../src/contract/endpoint.ts";
import { isTarget, targets, trackerTitles } from "../../src/contract/findings/trackers.ts";
import type { Contract } from "../../src/contract/index.ts";
import { shareSeconds } from "../../src/contract/sharing/kinds.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { conflict, invalid } from "../lib/api-error.ts";
import * as issues from "../playtests/findings/issues-store.ts";
import type { ShownEvidenceRow } from "../playtests/findings/store.ts";
import * as findings from "../playtests/findings/store.ts";
import { newStill, queueStill } from "../playtests/moments/stills.ts";
import * as stills from "../playtests/moments/stills-store.ts";
import * as slots from "../playtests/slots/store.ts";
import { createShare } from "../sharing/shares/service.ts";
import * as store from "./store.ts";

/** Filing of findings. Each function runs inside the caller's transaction. */

type Wanted = BodyOut<Contract["fileFinding"]>;

/** Asks the tracker about an issue, now or as soon as it may be asked again. */
export async function ask(tx: Tx, row: issues.IssueRow): Promise<void> {
  await issues.update(tx, row.finding_id, { next_attempt_at: tx.now, attempts: 0, error: null, updated_at: tx.now });
  await schedule(tx, row.finding_id, row.owner_id);
}

export const schedule = (tx: Tx, findingId: string, ownerId: string) =>
  tx.schedule({ kind: "sync-finding", key: findingId, payload: { findingId }, account: ownerId, runAt: tx.now });

/** 422 for what cannot be filed in this tracker. */
function requireFitting({ tracker, target, labels, priority, type }: Wanted): void {
  const title = trackerTitles[tracker];
  if (!isTarget(tracker, target))
    throw invalid("target", `must be ${targets[tracker].what} in ${title}, such as ${targets[tracker].example}`);
  if (priority !== undefined && tracker !== "jira" && tracker !== "linear")
    throw invalid("priority", `must be left out: ${title} has labels instead`);
  if (tracker === "gitlab" && labels.some((label) => label.includes(",")))
    throw invalid("labels", "must not contain a comma: in GitLab it divides one label from the next");
  if (type !== undefined && tracker === "linear") throw invalid("type", "must be left out: Linear has labels instead");
}

/**
 * Files a finding, or asks the tracker again about one that is filed there already. 409 for one that is filed elsewhere, was merged, or
 * whose tracker is not connected. Returns the id of the share that it made, if it made one.
 */
export async function file(deps: Deps, tx: Tx, finding: findings.FindingRow, wanted: Wanted): Promise<string | null> {
  requireFitting(wanted);
  const { tracker, target } = wanted;
  if (finding.merged_into !== null)
    throw conflict(`#${finding.number} was merged into another finding. Nothing was filed. File that one.`);
  if (!(await store.find(tx, finding.owner_id, tracker)))
    throw conflict(
      `${trackerTitles[tracker]} is not connected. Nothing was filed. Connect it with \`playtest findings connect ${tracker}\`.`,
    );
  const known = await issues.find(tx, finding.id);
  if (known && !isReplaceable(known)) {
    if (known.tracker === tracker && known.target === target) {
      await ask(tx, known);
      return null;
    }
    if (!hasFailed(known))
      throw conflict(
        `#${finding.number} is filed in ${trackerTitles[known.tracker]} (${known.target}) already. Nothing was filed: a finding has one issue.`,
      );
  }
  if (known) await issues.remove(tx, finding.id);
  return insert(deps, tx, finding, wanted, known?.state === "deleted" || known?.begun_at != null);
}

/** Whether a finding may be filed anew: nothing of it can be in the tracker. */
const isReplaceable = ({ state, remote_id, begun_at }: issues.IssueRow) =>
  state === "deleted" || (remote_id === null && begun_at === null);

/** Whether the tries have ended without an issue. Who cannot reach the tracker any more may name another place. */
const hasFailed = ({ remote_id, error, next_attempt_at }: issues.IssueRow) =>
  remote_id === null && error !== null && next_attempt_at === null;

async function insert(deps: Deps, tx: Tx, finding: findings.FindingRow, wanted: Wanted, again: boolean): Promise<string | null> {
  const { tracker, target, labels, assignee = null, priority = null, type = null, share } = wanted;
  const evidence = share ? await findings.evidenceOf(tx, "finding", finding.id) : [];
  const row: issues.IssueRow = {
    finding_id: finding.id,
    game_id: finding.game_id,
    owner_id: finding.owner_id,
    tracker,
    target,
    labels: JSON.stringify(labels),
    assignee,
    priority,
    issue_type: type,
    share_id: await shareOf(deps, tx, finding, evidence),
    state: "waiting",
    // A deleted issue, or one that was begun elsewhere, may still be found.
    marker: `Playtest finding ${finding.id}${again ? ` ${tx.newId().slice(-8)}` : ""}`,
    begun_at: null,
    remote_id: null,
    remote_key: null,
    url: null,
    sent_hash: null,
    error: null,
    attempts: 0,
    next_attempt_at: tx.now,
    checked_at: null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  await issues.insert(tx, row);
  await schedule(tx, finding.id, finding.owner_id);
  return row.share_id;
}

/**
 * A public link to the first video of the evidence, with the first note on it as evidence and its still image, as long as the usual one
 * works. Null where there is no evidence.
 */
async function shareOf(
  deps: Deps,
  tx: Tx,
  finding: findings.FindingRow,
  evidence: readonly ShownEvidenceRow[],
): Promise<string | null> {
  const first = evidence[0];
  const slot = first && (await slots.findForOwner(tx, first.slot_id, finding.owner_id));
  if (!slot) return null;
  const shared = { playtest_id: slot.playtest_id, slot_id: slot.id, clip_id: null };
  const noted = evidence.find(({ slot_id, moment_id }) => slot_id === slot.id && moment_id !== null);
  if (noted?.moment_id && deps.cutter && !(await stills.ofMoment(tx, noted.moment_id))) {
    const { slot_id, moment_id, at_ms } = noted;
    await queueStill(tx, newStill(deps, { slot_id, moment_id, clip_id: null, owner_id: finding.owner_id, at_ms }));
  }
  const noteIds = noted?.moment_id ? [noted.moment_id] : [];
  const usual = { validForSeconds: shareSeconds.usual, passwordHash: null, withName: false, withNotes: false, noteIds };
  return (await createShare(tx, finding.owner_id, shared, usual)).id;
}
