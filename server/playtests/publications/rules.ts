import type { PublicationState, publicationMoves } from "../../../src/contract/states/index.ts";
import type { MoveOf } from "../../../src/contract/states/moves.ts";
import type { Failed, Outcome } from "./publisher.ts";
import type { PublicationRow } from "./store.ts";

/** Bytes that one step of a publication may send before it is recorded how far it came. */
export const stepBytes = 16 * 1024 * 1024;

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

/** How long (ms) a platform is left in peace while it processes a video. */
const processingMs = 30 * second;

/** How long (ms) after a failed try the next begins, by how many failed in a row: from 10 seconds to an hour. */
export const pauseAfter = (failed: number): number => Math.min(hour, 10 * second * 2 ** Math.min(failed - 1, 20));

/** The same for deleting a video: nobody waits for it, and it never ends by itself, so up to a day. */
export const removalPauseAfter = (failed: number): number => Math.min(day, 60 * second * 2 ** Math.min(failed - 1, 20));

/** How long (ms) until a video that was uploaded without a reply is surely among those of its account. */
export const listedMs = 10 * 60 * second;

/** What is left to do while a publication is in progress. */
export const inProgress = ["waiting", "uploading", "processing"] as const satisfies readonly PublicationState[];

type Move = MoveOf<typeof publicationMoves>;
/** `session` is not sealed yet. */
export type Changes = Partial<Omit<PublicationRow, "id" | "slot_id" | "state">>;

/** The move that leaves a publication in its state. */
const stay: Record<(typeof inProgress)[number], Move> = { waiting: "wait", uploading: "upload", processing: "process" };

type Known = Pick<PublicationRow, "attempts" | "bytes_total"> & { state: (typeof inProgress)[number] };

/** The move and the changes that an outcome at `now` (ms) means for a publication in progress. */
export function afterStep(row: Known, outcome: Outcome, now: number): { move: Move; changes: Changes } {
  const succeeded = { error: null, detail: null, attempts: 0 };
  const ended = { error: null, detail: null, next_attempt_at: null };
  switch (outcome.is) {
    case "progress": {
      const changes = { ...succeeded, ...sessionOf(outcome), bytes_sent: outcome.bytesSent, next_attempt_at: now };
      return { move: "upload", changes };
    }
    case "processing": {
      const next = Math.max(now, outcome.retryAt ?? now + processingMs);
      const changes = { ...succeeded, ...sessionOf(outcome), bytes_sent: row.bytes_total, next_attempt_at: next };
      return { move: "process", changes };
    }
    case "published": {
      const there = { remote_id: outcome.remoteId, session: null, bytes_sent: row.bytes_total };
      return { move: "publish", changes: { ...ended, ...there, attempts: 0, reason: null } };
    }
    case "blocked":
      return {
        move: "block",
        changes: { ...ended, remote_id: outcome.remoteId, reason: outcome.reason, detail: detailOf(outcome) },
      };
    case "failed":
      return afterFailure(row, outcome, now);
  }
}

function afterFailure(row: Known, outcome: Failed, now: number): { move: Move; changes: Changes } {
  const { reason } = outcome;
  const [attempts, detail] = [row.attempts + 1, detailOf(outcome)];
  if ("permanent" in outcome) return { move: "fail", changes: { attempts, error: null, detail, reason, next_attempt_at: null } };
  const next = Math.max(now, outcome.retryAt ?? now + pauseAfter(attempts));
  const again = { attempts, error: reason, detail, next_attempt_at: next };
  if (outcome.session === null) return { move: "wait", changes: { ...again, session: null, bytes_sent: 0 } };
  return { move: stay[row.state], changes: again };
}

/** At most this many characters of what a platform said are kept. */
const maxDetail = 500;

export const detailOf = ({ detail }: { detail?: string }) => detail?.slice(0, maxDetail) ?? null;

const sessionOf = ({ session }: { session?: string }) => (session === undefined ? {} : { session });

/** When the job of a publication goes on (ms). Undefined when nothing is left to do. */
export const nextRun = ({ next_attempt_at }: Pick<PublicationRow, "next_attempt_at">): number | undefined =>
  next_attempt_at ?? undefined;

/** Whether it is known what may be on the platform of a publication. */
export const hasRemnants = ({ remote_id, session, adapter }: Pick<PublicationRow, "remote_id" | "session" | "adapter">) =>
  adapter !== "own" && (remote_id !== null || session !== null);

/**
 * When (ms) what is on the platform of a publication that is removed at `now` is deleted; null where it was on none. Also where nothing is
 * known of it: a try whose reply was lost may have left a video, which its platform lists after a while.
 */
export const removalAt = (row: Pick<PublicationRow, "remote_id" | "session" | "adapter">, now: number): number | null =>
  row.adapter === "own" ? null : hasRemnants(row) ? now : now + listedMs;

/**
 * When (ms) a removed publication is tried again that an operator retries at `now`: at once, but for the first search for a video of which
 * nothing is known, which would not find it earlier.
 */
export const removalAgainAt = (
  row: Pick<PublicationRow, "remote_id" | "session" | "adapter" | "attempts" | "next_attempt_at">,
  now: number,
): number => (hasRemnants(row) || row.attempts > 0 ? now : Math.max(now, row.next_attempt_at ?? now));
