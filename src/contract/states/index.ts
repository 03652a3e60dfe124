import type { Moves } from "./moves.ts";

/**
 * What can become of everything that has a state: the states, and the moves between them. The tables below are the only place that says
 * which transition is legal; the server moves rows by them (`server/database/state-machine.ts`), and the database repeats the states as
 * `CHECK` constraints.
 */

export const slotStatuses = [
  "open",
  "reserved",
  "submitted",
  "accepted",
  "rejected",
  "blocked",
  "expired",
  "cancelled",
  "publishing",
] as const;
export type SlotStatus = (typeof slotStatuses)[number];

export const slotMoves = {
  open: { reserve: "reserved", expire: "expired", cancel: "cancelled" },
  reserved: { submit: "submitted", expire: "expired", release: "cancelled", report: "blocked", cancel: "cancelled" },
  submitted: { accept: "accepted", publish: "publishing", reject: "rejected" },
  publishing: { finish: "accepted", reject: "rejected" },
  blocked: { unblock: "reserved", release: "cancelled", cancel: "cancelled" },
  accepted: {},
  rejected: {},
  expired: {},
  cancelled: {},
} as const satisfies Moves<SlotStatus>;

export const playtestStatuses = ["pending_payment", "active", "completed", "cancelled", "expired"] as const;
export type PlaytestStatus = (typeof playtestStatuses)[number];

export const playtestMoves = {
  pending_payment: { activate: "active", cancel: "cancelled" },
  active: { complete: "completed", cancel: "cancelled", expire: "expired" },
  completed: {},
  cancelled: {},
  expired: {},
} as const satisfies Moves<PlaytestStatus>;

export const approvalStatuses = ["pending", "approved", "declined", "expired"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** An order that waits for a person. */
export const approvalMoves = {
  pending: { approve: "approved", decline: "declined", expire: "expired" },
  approved: {},
  declined: {},
  expired: {},
} as const satisfies Moves<ApprovalStatus>;

export const applicationStatuses = ["pending", "approved", "rejected", "auto_rejected", "withdrawn"] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

export const applicationMoves = {
  pending: { approve: "approved", reject: "rejected", close: "auto_rejected", withdraw: "withdrawn" },
  approved: {},
  rejected: {},
  auto_rejected: {},
  withdrawn: {},
} as const satisfies Moves<ApplicationStatus>;

export const gameStatuses = ["active", "suspended"] as const;
export type GameStatus = (typeof gameStatuses)[number];

export const gameMoves = {
  active: { suspend: "suspended" },
  suspended: { unsuspend: "active" },
} as const satisfies Moves<GameStatus>;

export const paymentStatuses = ["pending", "completed", "failed", "cancelled", "refunded", "disputed"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** Money that arrives after the checkout ended still counts; what a bank took back it may return. */
export const paymentMoves = {
  pending: { pay: "completed", fail: "failed", cancel: "cancelled" },
  failed: { pay: "completed" },
  cancelled: { pay: "completed" },
  completed: { dispute: "disputed", refund: "refunded" },
  disputed: { restore: "completed", refund: "refunded" },
  refunded: { restore: "completed", dispute: "disputed" },
} as const satisfies Moves<PaymentStatus>;

export const reversalStatuses = ["taken", "returned"] as const;
export type ReversalStatus = (typeof reversalStatuses)[number];

/** A dispute or a refund of a payment: `returned` when the bank decided for us, or the refund failed. */
export const reversalMoves = {
  taken: { return: "returned" },
  returned: {},
} as const satisfies Moves<ReversalStatus>;

export const subscriptionStatuses = ["incomplete", "active", "past_due", "cancelled"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** One that was cancelled at its checkout starts after all when its money arrives late. */
export const subscriptionMoves = {
  incomplete: { start: "active", end: "cancelled" },
  active: { renew: "active", miss: "past_due", end: "cancelled" },
  past_due: { renew: "active", miss: "past_due", end: "cancelled" },
  cancelled: { start: "active" },
} as const satisfies Moves<SubscriptionStatus>;

export const depositStatuses = ["credited", "suspense", "refunded"] as const;
export type DepositStatus = (typeof depositStatuses)[number];

/** A crypto deposit: credited at once, or unmatched (`suspense`) until an admin decides. */
export const depositMoves = {
  suspense: { credit: "credited", refund: "refunded" },
  credited: {},
  refunded: {},
} as const satisfies Moves<DepositStatus>;

export const payoutStatuses = ["pending", "completed", "failed"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** A payout of a batch is `pending` until the operator says what became of it. A completed one fails when the bank returns it. */
export const payoutMoves = {
  pending: { complete: "completed", fail: "failed" },
  completed: { fail: "failed" },
  failed: {},
} as const satisfies Moves<PayoutStatus>;

export const uploadStatuses = ["open", "completed", "replaced", "refused", "terminated", "expired"] as const;
export type UploadStatus = (typeof uploadStatuses)[number];

/** `open` takes bytes; all but `completed` end without a file. */
export const uploadMoves = {
  open: { complete: "completed", replace: "replaced", refuse: "refused", terminate: "terminated", expire: "expired" },
  completed: { replace: "replaced", expire: "expired" },
  replaced: {},
  refused: {},
  terminated: {},
  expired: {},
} as const satisfies Moves<UploadStatus>;

export const transcriptionStatuses = ["pending", "processing", "approved", "failed"] as const;
export type TranscriptionStatus = (typeof transcriptionStatuses)[number];

export const transcriptionMoves = {
  pending: { begin: "processing", fail: "failed" },
  processing: { begin: "processing", approve: "approved", fail: "failed" },
  approved: { edit: "approved", revert: "approved" },
  failed: { edit: "approved", begin: "processing", fail: "failed" },
} as const satisfies Moves<TranscriptionStatus>;

export const clipStatuses = ["pending", "ready", "failed"] as const;
export type ClipStatus = (typeof clipStatuses)[number];

/** The limits of a server because of which a clip or an image may fail. */
export const cutLimits = ["memory", "time", "picture", "size"] as const;
export type CutLimit = (typeof cutLimits)[number];

/** A clip or a still image of a video: `pending` is being cut. */
export const clipMoves = {
  pending: { finish: "ready", fail: "failed" },
  ready: {},
  failed: { finish: "ready", fail: "failed" },
} as const satisfies Moves<ClipStatus>;

export const publicationStatuses = ["waiting", "uploading", "processing", "published", "blocked", "failed", "removed"] as const;
export type PublicationState = (typeof publicationStatuses)[number];

const inProgress = {
  wait: "waiting",
  upload: "uploading",
  process: "processing",
  publish: "published",
  block: "blocked",
  fail: "failed",
  remove: "removed",
} as const;

/**
 * The publication of a video. It `waits` again when the platform lost what it had, or an operator asks for another try. One that was given
 * up is published after all when the platform finishes late.
 */
export const publicationMoves = {
  waiting: inProgress,
  uploading: inProgress,
  processing: inProgress,
  published: { remove: "removed" },
  blocked: { wait: "waiting", remove: "removed" },
  failed: { wait: "waiting", publish: "published", remove: "removed" },
  removed: {},
} as const satisfies Moves<PublicationState>;

export const deliveryStatuses = ["pending", "paused", "held", "test", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * A webhook delivery: `pending` waits for its next attempt; `paused` was pending when its webhook was disabled and goes on when that is
 * enabled; `held` was recorded while the webhook was disabled and waits to be redelivered; `test` is a ping, tried once; `failed` had its
 * last attempt; `cancelled` lost its webhook.
 */
export const deliveryMoves = {
  pending: { deliver: "delivered", fail: "failed", pause: "paused", cancel: "cancelled", redeliver: "pending" },
  paused: { deliver: "delivered", fail: "failed", resume: "pending", cancel: "cancelled", redeliver: "pending" },
  held: { cancel: "cancelled", redeliver: "pending" },
  test: { deliver: "delivered", fail: "failed", redeliver: "pending" },
  delivered: { redeliver: "pending" },
  failed: { redeliver: "pending" },
  cancelled: {},
} as const satisfies Moves<DeliveryStatus>;

export const jobStatuses = ["queued", "dead"] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** A background job: its row is removed when it is done. */
export const jobMoves = {
  queued: { giveUp: "dead" },
  dead: { requeue: "queued" },
} as const satisfies Moves<JobStatus>;
