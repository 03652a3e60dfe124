import type { AgeBand } from "../../src/contract/accounts/audience-text.ts";
import { playsEverywhere, type VideoFacts } from "../../src/contract/files/inspect-video.ts";
import { extensionOf, videoContainers } from "../../src/contract/files/media.ts";
import type { Device } from "../../src/contract/games.ts";
import { slotStatuses } from "../../src/contract/states/index.ts";
import { iso, isoOrNull, secondsOf } from "../lib/time.ts";
import { consentView } from "./publications/consents.ts";
import type { PublicationConsentRow } from "./publications/consents-store.ts";
import type { PublicationDetailRow } from "./publications/store.ts";
import { publicationView } from "./publications/views.ts";
import { playtestStatusAt, statusAt } from "./slots/rules.ts";
import type { SlotDetailRow } from "./slots/store.ts";
import type { PlaytestRow, SlotCounts } from "./store.ts";

/** When a playtest with manual selection stops taking applications (ms); null for others. */
export const applicationsExpireAt = ({ selection_mode, closes_at }: Pick<PlaytestRow, "selection_mode" | "closes_at">) =>
  selection_mode === "manual" ? closes_at : null;

/** Whom a playtest is for by their profiles. Empty lists are everyone. */
export const audienceView = (playtest: PlaytestRow) => ({
  targetCountries: JSON.parse(playtest.target_countries) as string[],
  targetLanguages: JSON.parse(playtest.target_languages) as string[],
  targetDevices: JSON.parse(playtest.target_devices) as Device[],
  targetAges: JSON.parse(playtest.target_ages) as AgeBand[],
});

export const playtestView = (playtest: PlaytestRow) => ({
  id: playtest.id,
  gameId: playtest.game_id,
  ref: playtest.ref,
  visibility: playtest.visibility,
  quantity: playtest.quantity,
  durationMinutes: playtest.duration_minutes,
  playerCount: playtest.player_count,
  costPerSlotCents: playtest.cost_per_slot_cents,
  payoutCents: playtest.payout_cents,
  notesForTesters: playtest.notes_for_testers,
  status: playtest.status,
  isFreePublicTrial: playtest.is_free_public_trial === 1,
  targetingType: playtest.targeting_type,
  targetingScope: playtest.targeting_scope,
  pastPlaytesterScope: playtest.past_playtester_scope,
  targetedPlaytesterId: playtest.targeted_playtester_id,
  panel: playtest.panel,
  ...audienceView(playtest),
  selectionMode: playtest.selection_mode,
  qualifications: playtest.qualifications,
  applicationsExpireAt: isoOrNull(applicationsExpireAt(playtest)),
  scheduledAt: isoOrNull(playtest.scheduled_at),
  createdAt: iso(playtest.created_at),
});

/** A playtest with its status at `now` and the number of slots per status. */
export function countedPlaytestView(playtest: PlaytestRow, slots: SlotCounts, now: number) {
  const present = slotStatuses.filter((status) => slots[status] > 0);
  return { ...playtestView(playtest), status: playtestStatusAt(playtest, present, now), slots };
}

/** Who holds a slot. */
export const playtesterView = (slot: Pick<SlotDetailRow, "playtester_id"> & { display_name: string | null }) =>
  slot.playtester_id === null ? null : { id: slot.playtester_id, displayName: slot.display_name ?? "" };

/** What a video is made of, from the column that keeps it. Null while nothing is known. */
export function videoFormatView(facts: string | null) {
  const { type, tracks, fault } = JSON.parse(facts ?? "{}") as Partial<VideoFacts>;
  const container = videoContainers.find((name) => extensionOf(type ?? "") === `.${name}`);
  if (container === undefined || tracks === undefined || fault === undefined) return null;
  return { container, tracks, playsEverywhere: fault === null && playsEverywhere({ type: type!, tracks }), fault };
}

export const submissionView = (slot: SlotDetailRow) =>
  slot.submission_id === null
    ? null
    : {
        id: slot.submission_id,
        videoFileSize: slot.video_file_size,
        videoDurationSeconds: secondsOf(slot.video_duration_ms),
        videoFormat: videoFormatView(slot.video_facts),
        notes: slot.submission_notes,
        device: slot.device,
        createdAt: iso(slot.submission_at!),
      };

export const ratingView = (slot: SlotDetailRow) => (slot.rated_at === null ? null : { score: slot.score, comment: slot.comment });
export const rejectionView = (slot: SlotDetailRow) =>
  slot.rejected_at === null ? null : { reason: slot.reject_reason, createdAt: iso(slot.rejected_at) };

/** The latest report of a slot, also when it is resolved. */
export const reportView = (slot: SlotDetailRow) =>
  slot.reported_at === null
    ? null
    : {
        reasonCode: slot.report_code ?? "other",
        notes: slot.report_notes,
        reportedAt: iso(slot.reported_at),
        answerBy: slot.resolved_at === null ? isoOrNull(slot.answer_by) : null,
        outcome: slot.report_outcome,
        message: slot.report_message,
        resolvedAt: isoOrNull(slot.resolved_at),
      };

/** Another time that the owner proposes for a slot, until its playtester answered. */
export const proposalView = ({ proposed_at, accept_by }: Pick<SlotDetailRow, "proposed_at" | "accept_by">) =>
  proposed_at === null || accept_by === null ? null : { scheduledAt: iso(proposed_at), answerBy: iso(accept_by) };

const transcriptionView = (slot: SlotDetailRow) =>
  slot.transcription_id === null
    ? null
    : { id: slot.transcription_id, status: slot.transcription_status ?? "pending", selectedVersion: slot.selected_version };

export const takeaways = (slot: SlotDetailRow) => JSON.parse(slot.key_takeaways ?? "[]") as string[];

/** A slot in its owner's list, with its status at `now`. */
export const slotView = (slot: SlotDetailRow, now: number) => ({
  id: slot.id,
  requestId: slot.playtest_id,
  status: statusAt(slot, now),
  deadlineAt: isoOrNull(slot.deadline_at),
  scheduledAt: isoOrNull(slot.scheduled_at),
  proposal: proposalView(slot),
  createdAt: iso(slot.created_at),
  playtester: playtesterView(slot),
  submission: submissionView(slot),
  rating: ratingView(slot),
  rejection: rejectionView(slot),
  transcription: transcriptionView(slot),
  blockedReport: reportView(slot),
});

export const slotPlaytestView = (slot: SlotDetailRow) => ({
  id: slot.playtest_id,
  visibility: slot.visibility,
  durationMinutes: slot.duration_minutes,
  playerCount: slot.player_count,
});

export function slotDetailView(slot: SlotDetailRow, now: number) {
  const transcription = transcriptionView(slot);
  return {
    ...slotView(slot, now),
    game: { id: slot.game_id, name: slot.game_name },
    playtest: slotPlaytestView(slot),
    transcription: transcription && { ...transcription, keyTakeaways: takeaways(slot) },
    publishedUrl: slot.published_url,
  };
}

/** What only the owner sees of a slot: what was played, an image of the video, and its publication. */
export interface OwnParts {
  build: { id: string; version: string | null; created_at: number } | undefined;
  posterUrl: string | null;
  publication: PublicationDetailRow | undefined;
  consent: PublicationConsentRow | undefined;
}

export const ownSlotView = (slot: SlotDetailRow, { build, posterUrl, publication, consent }: OwnParts, now: number) => ({
  ...slotDetailView(slot, now),
  build: build ? { id: build.id, version: build.version, createdAt: iso(build.created_at) } : null,
  awaitingAdminApproval: awaitsAdmin(slot),
  posterUrl,
  publication: publication ? publicationView(publication) : null,
  publicationConsent: consent ? consentView(consent, slot.consent_withdrawn_at) : null,
});

/** Whether a video waits for an admin: that of a free trial does from its submission to its approval. */
const awaitsAdmin = (slot: SlotDetailRow): boolean =>
  slot.is_free_public_trial === 1 &&
  slot.admin_approved_at === null &&
  (slot.status === "submitted" || slot.status === "publishing");

/** An item of the list of submissions of all games. */
export function submissionItemView(slot: SlotDetailRow, now: number) {
  const submission = submissionView(slot);
  return {
    slot: {
      id: slot.id,
      requestId: slot.playtest_id,
      status: statusAt(slot, now),
      reservedBy: slot.playtester_id,
      deadlineAt: isoOrNull(slot.deadline_at),
      createdAt: iso(slot.created_at),
    },
    submission: submission && { ...submission, videoStorageKey: slot.blob_key ?? "" },
    game: { id: slot.game_id, name: slot.game_name },
    playtest: { ...slotPlaytestView(slot), isFreePublicTrial: slot.is_free_public_trial === 1 },
    playtester: playtesterView(slot),
    awaitingAdminApproval: awaitsAdmin(slot),
    blockedReport: slot.status === "blocked" ? reportView(slot) : null,
    transcription: transcriptionView(slot),
  };
}
