import type { KeyRow } from "../accounts/keys-store.ts";
import type { UserRow } from "../accounts/users-store.ts";
import type { PaymentRow } from "../billing/store.ts";
import { perRow } from "../database/rows.ts";
import type { Event } from "../events/store.ts";
import type { BuildRow, CategoryRow, GameRow } from "../games/store.ts";
import { playtestStatusAt, slotStatuses, statusAt } from "./slots/rules.ts";
import type { SlotDetailRow } from "./slots/store.ts";
import type { PlaytestRow, SlotCounts } from "./store.ts";

/** Rows as the contract shows them: field by field, so that nothing leaves that was not meant to. */
export const iso = (ms: number) => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

export const userView = (user: UserRow) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  emailVerified: user.email_verified_at !== null,
});

export const profileView = (user: UserRow) => ({
  id: user.id,
  userId: user.id,
  companyName: user.company_name,
  displayName: user.display_name,
  websiteUrl: user.website_url,
  gamingExperience: user.gaming_experience,
  createdAt: iso(user.created_at),
});

export const keyView = (key: KeyRow) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: JSON.parse(key.scopes) as string[],
  createdAt: iso(key.created_at),
  lastUsedAt: isoOrNull(key.last_used_at),
  expiresAt: isoOrNull(key.expires_at),
});

export const eventView = (event: Event) => ({
  id: event.id,
  event: event.kind,
  timestamp: iso(event.created_at),
  data: JSON.parse(event.data) as Record<string, unknown>,
});

export const gameView = perRow((game: GameRow) => ({
  id: game.id,
  ownerId: game.owner_id,
  name: game.name,
  description: game.description,
  instructions: game.instructions,
  buildUrl: game.build_url,
  coverImageUrl: game.cover_image_url,
  externalUrl: game.external_url,
  status: game.status,
  createdAt: iso(game.created_at),
  updatedAt: iso(game.updated_at),
}));

const playedOn = perRow((game: GameRow) => ({
  devices: JSON.parse(game.devices) as string[],
  platforms: JSON.parse(game.platforms) as string[],
}));

export const relationsView = (game: GameRow, categories: CategoryRow[]) => ({
  categories: categories.map(({ id, name, slug }) => ({ id, name, slug })),
  ...playedOn(game),
});

export const fullGameView = (game: GameRow, categories: CategoryRow[]) => ({
  ...gameView(game),
  ...relationsView(game, categories),
});

export const buildView = (build: BuildRow) => ({
  id: build.id,
  gameId: build.game_id,
  buildUrl: build.build_url,
  createdAt: iso(build.created_at),
  filename: build.filename,
  size: build.size,
  sha256: build.sha256,
  contentSha256: build.content_sha256,
  version: build.version,
  channel: build.channel,
  notes: build.notes,
});

export const playtestView = (playtest: PlaytestRow) => ({
  id: playtest.id,
  gameId: playtest.game_id,
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
  selectionMode: playtest.selection_mode,
  qualifications: playtest.qualifications,
  applicationsExpireAt: isoOrNull(playtest.applications_expire_at),
  createdAt: iso(playtest.created_at),
});

/** A playtest as it is at `now`, with its slots counted. */
export function countedPlaytestView(playtest: PlaytestRow, slots: SlotCounts, now: number) {
  const present = slotStatuses.filter((status) => slots[status] > 0);
  return { ...playtestView(playtest), status: playtestStatusAt(playtest, present, now), slots };
}

const playtesterView = (slot: SlotDetailRow) =>
  slot.playtester_id === null ? null : { id: slot.playtester_id, displayName: slot.display_name ?? "" };

export const submissionView = (slot: SlotDetailRow) =>
  slot.submission_id === null
    ? null
    : {
        id: slot.submission_id,
        videoFileSize: slot.video_file_size,
        notes: slot.submission_notes,
        createdAt: iso(slot.submission_at!),
      };

export const ratingView = (slot: SlotDetailRow) => (slot.rated_at === null ? null : { score: slot.score, comment: slot.comment });
export const rejectionView = (slot: SlotDetailRow) =>
  slot.rejected_at === null ? null : { reason: slot.reject_reason, createdAt: iso(slot.rejected_at) };

export const reportView = (slot: SlotDetailRow) =>
  slot.reported_at === null
    ? null
    : { reasonCode: slot.report_code ?? "other", notes: slot.report_notes, reportedAt: iso(slot.reported_at) };

const transcriptionView = (slot: SlotDetailRow) =>
  slot.transcription_id === null
    ? null
    : { id: slot.transcription_id, status: slot.transcription_status ?? "pending", selectedVersion: slot.selected_version };

export const takeaways = (slot: SlotDetailRow) => JSON.parse(slot.key_takeaways ?? "[]") as string[];

/** A slot as its owner's list shows it at `now`. */
export const slotView = (slot: SlotDetailRow, now: number) => ({
  id: slot.id,
  requestId: slot.playtest_id,
  status: statusAt(slot, now),
  deadlineAt: isoOrNull(slot.deadline_at),
  createdAt: iso(slot.created_at),
  playtester: playtesterView(slot),
  submission: submissionView(slot),
  rating: ratingView(slot),
  rejection: rejectionView(slot),
  transcription: transcriptionView(slot),
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

/** An item of the list over all games. A free trial's video waits for an admin from submission to approval. */
export function submissionItemView(slot: SlotDetailRow, now: number) {
  const submission = submissionView(slot);
  const waits = slot.is_free_public_trial === 1 && submission !== null && slot.admin_approved_at === null;
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
    awaitingAdminApproval: waits && (slot.status === "submitted" || slot.status === "publishing"),
    blockedReport: reportView(slot),
    transcription: transcriptionView(slot),
  };
}

export const paymentView = (payment: PaymentRow) => ({
  id: payment.id,
  amountCents: payment.amount_cents,
  status: payment.status,
  provider: payment.provider,
  externalId: payment.external_id,
  createdAt: iso(payment.created_at),
});
