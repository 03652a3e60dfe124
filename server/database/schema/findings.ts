import { findingStatuses } from "../../../src/contract/findings/statuses.ts";
import { issueStates, trackerPriorities, trackers } from "../../../src/contract/findings/trackers.ts";
import { momentKinds } from "../../../src/contract/moments/kinds.ts";
import { clipStatuses } from "../../../src/contract/states/index.ts";
import { int, oneOf, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const findings = {
  findings: {
    id: text, game_id: text, owner_id: text,
    /** Counts up in each game. */
    number: int,
    title: text, body: text, kind: oneOf(momentKinds), severity: orNull(int),
    /** A JSON array. */
    tags: text,
    status: oneOf(findingStatuses),
    /** The finding that its evidence was moved to. */
    merged_into: orNull(text),
    /** When it was closed (ms); null while it is not. Builds that came later say whether it is gone. */
    closed_at: orNull(int),
    created_at: int, updated_at: int,
  },
  /** With what an owner reaches a tracker. */
  tracker_connections: {
    id: text, owner_id: text, tracker: oneOf(trackers),
    /** The address that the token is sent to, and nowhere else. */
    site: text,
    account: text,
    /** The token, and for Jira the email address before it, sealed. */
    sealed: text,
    /** Until when (ms) the tracker asked for no more requests. */
    paused_until: orNull(int),
    created_at: int,
  },
  /** The issue of a finding. */
  finding_issues: {
    finding_id: text, game_id: text, owner_id: text, tracker: oneOf(trackers), target: text,
    /** A JSON array. */
    labels: text,
    assignee: orNull(text), priority: orNull(oneOf(trackerPriorities)), issue_type: orNull(text),
    /** The public link of the video, where the issue has one. */
    share_id: orNull(text),
    state: oneOf(issueStates),
    /** What the issue says that it is of, so that it is found when the reply to its creation was lost. */
    marker: text,
    /** When (ms) a creation began whose end is not known. */
    begun_at: orNull(int),
    remote_id: orNull(text), remote_key: orNull(text), url: orNull(text),
    /** SHA-256 of what was last written into the issue. */
    sent_hash: orNull(text),
    error: orNull(text), attempts: int,
    /** When (ms) the tracker is asked next; null if nothing waits. */
    next_attempt_at: orNull(int),
    checked_at: orNull(int), created_at: int, updated_at: int,
  },
  finding_evidence: {
    id: text, finding_id: text, game_id: text, owner_id: text, slot_id: text, moment_id: orNull(text),
    /** Position in the video (ms), and the end if there is one. What is a moment is where the moment is, whatever stands here. */
    at_ms: int,
    end_ms: orNull(int), quote: orNull(text), created_at: int,
  },
  /** Which evidence a merge or split moved: from one finding to another. */
  finding_changes: {
    id: text, kind: oneOf(["merge", "split"]), from_id: text, to_id: text, owner_id: text,
    /** A JSON array. */
    evidence_ids: text,
    created_at: int, undone_at: orNull(int),
  },
  /** What was measured of the video of a slot. */
  video_signals: {
    slot_id: text,
    /** The file that was measured: another video of the slot is measured again. */
    blob_key: text,
    status: oneOf(clipStatuses),
    /** Why it failed, for the operator. */
    error: orNull(text),
    /** JSON arrays of one number for each second; null for a track that the video does not have, and until it is measured. */
    loudness: orNull(text), motion: orNull(text), luma: orNull(text),
    created_at: int, updated_at: int,
    /** How much of it has a picture and sound, in percent. */
    picture_percent: orNull(int), sound_percent: orNull(int),
  },
};
