import { isClosed } from "../../src/contract/findings/statuses.ts";
import { pages } from "../../src/contract/pages/addresses.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import type { Job } from "../jobs/job.ts";
import { sha256 } from "../lib/secrets.ts";
import { countedOf } from "../playtests/findings/handlers.ts";
import * as issues from "../playtests/findings/issues-store.ts";
import { type Counted, countedFinding, knownOf, recordingsIn, verdictOf } from "../playtests/findings/rules.ts";
import { follow } from "../playtests/findings/service.ts";
import type { FindingRow, ShownEvidenceRow } from "../playtests/findings/store.ts";
import * as findings from "../playtests/findings/store.ts";
import { findingView } from "../playtests/findings/views.ts";
import * as stills from "../playtests/moments/stills-store.ts";
import * as shares from "../sharing/shares/store.ts";
import { againDocument, type Document, documentOf, type Public, type SeenIn } from "./document.ts";
import { type Credential, openTracker } from "./open.ts";
import { clockSkew, lookupAfter, maxAttempts, pauseAfter, planOf, statusByIssue } from "./rules.ts";
import * as store from "./store.ts";
import { type Issue, type Place, Refusal, type Tracker } from "./tracker.ts";

/** A finding with everything that its issue is about. */
interface Work {
  issue: issues.IssueRow;
  connection: store.ConnectionRow | undefined;
  finding: FindingRow;
  evidence: readonly ShownEvidenceRow[];
  counted: Counted;
  videos: ReadonlyMap<string, SeenIn>;
  shared: Public | null;
  /** Until when the still image that the issue shows is waited for (ms); null where it is cut, or there is none. */
  stillUntil: number | null;
}

/** How long a filing waits for the still image that its issue shows (ms). */
const stillMs = 60_000;
const stillPauseMs = 2_000;

/**
 * Brings a finding and its issue together: one job for each finding, whose row says when it goes on, so that no two processes file the same
 * finding.
 */
export async function syncFinding(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.findingId);
  for (let now = deps.clock.now(); ; now = deps.clock.now()) {
    const row = await deps.store.read((q) => issues.find(q, id));
    const isDue = row?.next_attempt_at != null && row.next_attempt_at <= now;
    if (!isDue || deps.draining.aborted || !job.isHeld()) return endRun(job, id);
    await step(job, deps, row);
  }
}

/** Ends this run of the job, or queues the next, as the row says at this instant. */
const endRun = (job: Job, id: string) => job.endUnless(async (tx) => (await issues.find(tx, id))?.next_attempt_at ?? undefined);

/** One try. Its result is in the row. */
async function step(job: Job, deps: Deps, row: issues.IssueRow): Promise<void> {
  const work = await deps.store.read((q) => workOf(q, deps, row));
  if (!work) return change(deps, row, async () => ({ next_attempt_at: null }));
  const paused = work.connection?.paused_until ?? 0;
  if (paused > deps.clock.now()) return change(deps, row, async () => ({ next_attempt_at: paused }));
  try {
    const tracker = trackerOf(deps, work);
    await (row.remote_id === null ? create(job, deps, tracker, work) : compare(deps, tracker, work, row.remote_id));
  } catch (error) {
    if (deps.draining.aborted) return;
    await recordFailure(deps, work, error);
  }
}

/** Changes the row of an issue in a transaction of its own, as it is by then. Does nothing for one that is gone or was filed anew. */
const change = (
  deps: Deps,
  { finding_id, marker }: issues.IssueRow,
  changes: (tx: Tx, row: issues.IssueRow) => Promise<Partial<issues.IssueRow>>,
) =>
  deps.store.write(async (tx) => {
    const row = await issues.find(tx, finding_id);
    if (row?.marker === marker) await issues.update(tx, finding_id, { ...(await changes(tx, row)), updated_at: tx.now });
  });

async function workOf(q: Query, deps: Deps, issue: issues.IssueRow): Promise<Work | undefined> {
  const finding = await findings.findForOwner(q, issue.finding_id, issue.owner_id);
  if (!finding || finding.merged_into !== null) return undefined;
  const [connection, evidence, counted, videos] = await Promise.all([
    store.find(q, issue.owner_id, issue.tracker),
    findings.evidenceOf(q, "finding", finding.id),
    countedOf(q, issue.game_id),
    store.devicesOf(q, issue.game_id),
  ]);
  const share = issue.share_id === null ? undefined : await shares.findForOwner(q, issue.share_id, issue.owner_id);
  const isShared = (slotId: string) => share?.slot_id === slotId && share.expires_at > deps.clock.now();
  const shareUrl = share && `${deps.config.baseUrl}${pages.share(deps.secrets.open(share.token, shares.tokenContext(share.id)))}`;
  const buildOf = new Map(recordingsIn(counted).map(({ slotId, buildId }) => [slotId, buildId]));
  const version = (slotId: string) => counted.builds.find(({ id }) => id === buildOf.get(slotId))?.version ?? null;
  const seen = videos.map(({ slot_id, device }): [string, SeenIn] => [
    slot_id,
    { device, build: version(slot_id), shareUrl: isShared(slot_id) ? shareUrl! : null },
  ]);
  const isOpen = share !== undefined && share.expires_at > deps.clock.now();
  const [momentId] = isOpen ? (JSON.parse(share.moment_ids) as string[]) : [];
  const still = momentId === undefined ? undefined : await stills.ofMoment(q, momentId);
  const picture =
    still?.status === "ready" ? { url: `${shareUrl}/${share!.slot_id}/stills/${momentId}`, atMs: still.at_ms } : null;
  return {
    ...{ issue, connection, finding, evidence, counted, videos: new Map(seen) },
    shared: isOpen ? { expiresAt: share.expires_at, picture } : null,
    stillUntil: still?.status === "pending" ? issue.created_at + stillMs : null,
  };
}

function trackerOf(deps: Deps, { connection, issue: { tracker, owner_id } }: Work): Tracker {
  if (!connection)
    throw new Refusal(401, `The tracker is not connected. Connect it with \`playtest findings connect ${tracker}\`.`);
  const opened = deps.secrets.open(connection.sealed, store.tokenContext(owner_id, tracker));
  return openTracker(deps, tracker, connection.site, JSON.parse(opened) as Credential);
}

const viewOf = (finding: FindingRow, { evidence, counted, issue }: Work) =>
  findingView(countedFinding(finding, evidence, knownOf(counted)), counted.builds, issue);

const documentFor = (deps: Deps, finding: FindingRow, work: Work) =>
  documentOf(viewOf(finding, work), work.videos, deps.config.baseUrl, work.shared);

const hashOf = (document: Document) => sha256(JSON.stringify(document));

/** Creates the issue, unless an earlier try whose reply was lost did. */
async function create(job: Job, deps: Deps, tracker: Tracker, work: Work): Promise<void> {
  const { issue, finding } = work;
  const lookAt = (issue.begun_at ?? Number.NEGATIVE_INFINITY) + lookupAfter;
  if (lookAt > deps.clock.now()) return change(deps, issue, async () => ({ next_attempt_at: lookAt }));
  const known = issue.begun_at === null ? undefined : await tracker.find(issue.marker, issue.target, issue.begun_at - clockSkew);
  if (known === "deleted") return recordDeleted(deps, issue);
  if (known) return recordIssue(deps, issue, known, { next_attempt_at: deps.clock.now() });
  const now = deps.clock.now();
  if (work.stillUntil !== null && work.stillUntil > now)
    return change(deps, issue, async () => ({ next_attempt_at: Math.min(work.stillUntil!, now + stillPauseMs) }));
  // Before the request: whatever becomes of it, the next try looks for the issue first.
  await change(deps, issue, async (tx) => ({ begun_at: tx.now }));
  const filed = { ...finding, status: isClosed(finding.status) ? finding.status : ("filed" as const) };
  const document = documentFor(deps, filed, work);
  const { target, assignee, priority, issue_type, marker } = issue;
  const labels = JSON.parse(issue.labels) as string[];
  const draft = { target, assignee, priority, issue_type, marker, labels, title: finding.title, document };
  if (!job.isHeld()) return;
  const made = await tracker.create(draft).catch(async (error: unknown) => {
    // What was refused does not exist. A look-up that is refused says nothing about that.
    if (error instanceof Refusal) await change(deps, issue, async () => ({ begun_at: null }));
    throw error;
  });
  await recordIssue(deps, issue, made, { sent_hash: hashOf(document), next_attempt_at: null });
}

/** The issue exists, and its finding is filed. */
const recordIssue = (deps: Deps, issue: issues.IssueRow, { id, key, url, isOpen }: Issue, more: Partial<issues.IssueRow>) =>
  change(deps, issue, async (tx) => {
    const finding = await findings.findForOwner(tx, issue.finding_id, issue.owner_id);
    if (finding?.status === "open" && finding.merged_into === null) await follow(tx, finding, "filed");
    const state = isOpen ? "open" : "waiting";
    const succeeded = { error: null, attempts: 0, checked_at: tx.now };
    return { remote_id: id, remote_key: key, url, state, begun_at: null, ...succeeded, ...more };
  });

/** Compares the finding with the issue that it has, and changes what differs on either side. */
async function compare(deps: Deps, tracker: Tracker, work: Work, id: string): Promise<void> {
  const { issue, evidence, counted } = work;
  const place: Place = { target: issue.target, id };
  const remote = await tracker.get(place);
  if (!remote) return recordDeleted(deps, issue);
  const now = deps.clock.now();
  const { isOpen } = remote;
  const status = statusByIssue({ status: work.finding.status, state: issue.state, isOpen });
  const closedHere = isClosed(status) && !isClosed(work.finding.status);
  const closedAt = closedHere ? Math.min(remote.closedAt ?? now, now) : work.finding.closed_at;
  const finding = { ...work.finding, status, closed_at: isClosed(status) ? closedAt : null };
  const verdict = verdictOf(finding, evidence, knownOf(counted));
  const plan = planOf({ status, isOpen, verdict });
  if (plan.again)
    await tracker.comment(place, againDocument(viewOf(finding, work)), `${issue.marker} ${counted.builds[0]?.id ?? ""}`);
  if (plan.reopen) await tracker.reopen(place);
  const document = documentFor(deps, { ...finding, status: plan.status }, work);
  const hash = hashOf(document);
  if (hash !== issue.sent_hash) await tracker.rewrite(place, remote, document, issue.marker);
  await change(deps, issue, async (tx) => {
    const row = await findings.findForOwner(tx, issue.finding_id, issue.owner_id);
    // Somebody who changed it meanwhile is compared with the issue once more.
    if (row && row.status !== work.finding.status) return { sent_hash: hash, checked_at: tx.now, next_attempt_at: tx.now };
    if (row) await follow(tx, row, plan.status, closedAt ?? now);
    const state = isOpen || plan.reopen ? "open" : "closed";
    const succeeded = { error: null, attempts: 0, next_attempt_at: null, checked_at: tx.now };
    return { state, url: remote.url, remote_key: remote.key, sent_hash: hash, ...succeeded };
  });
}

const recordDeleted = (deps: Deps, issue: issues.IssueRow) =>
  change(deps, issue, async (tx) => {
    const error = "The tracker no longer has the issue, or the token cannot see it. File the finding again for a new one.";
    return { state: "deleted", error, attempts: 0, next_attempt_at: null, checked_at: tx.now };
  });

const longestError = 500;
const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, longestError);

/**
 * A refusal ends the tries until somebody asks again, unless the tracker says to wait. Anything else is tried again. Who asked, or connected the
 * tracker with another token, while the request was under way is not answered by its reply.
 */
async function recordFailure(deps: Deps, { issue, connection }: Work, error: unknown): Promise<void> {
  deps.log.warn({ err: error, finding: issue.finding_id, tracker: issue.tracker }, "a try to file or compare a finding failed");
  const wait = error instanceof Refusal ? error.retryAfterMs : undefined;
  const until = wait === undefined ? undefined : deps.clock.now() + wait;
  if (until !== undefined && connection) await deps.store.write((tx) => store.pause(tx, connection.id, until));
  await change(deps, issue, async (tx, row) => {
    if (until !== undefined) return { error: textOf(error), next_attempt_at: until };
    if (error instanceof Refusal) {
      const current = await store.find(tx, issue.owner_id, issue.tracker);
      const isAskedAgain = row.next_attempt_at !== issue.next_attempt_at || current?.sealed !== connection?.sealed;
      return { error: textOf(error), next_attempt_at: isAskedAgain ? tx.now : null };
    }
    const attempts = row.attempts + 1;
    const next = attempts < maxAttempts ? tx.now + pauseAfter(attempts) : null;
    return { error: textOf(error), attempts, next_attempt_at: next };
  });
}
