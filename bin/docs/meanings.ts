import type { ErrorCode } from "../../src/contract/errors.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type {
  ApplicationStatus,
  PaymentStatus,
  PlaytestStatus,
  SlotStatus,
  SubscriptionStatus,
} from "../../src/contract/states/index.ts";

/** What states and events mean to a person, for the tables in the documentation. A new one does not compile until it is described. */

export const slotMeanings: Record<SlotStatus, string> = {
  open: "no playtester holds it",
  reserved: "a playtester holds it until its deadline",
  submitted: "the video waits for your review",
  accepted: "accepted; the playtester is paid",
  rejected: "rejected; if you allowed a retry, the playtester has a new slot",
  blocked: "the playtester reported that the build cannot be played",
  expired: "the deadline passed, nobody was chosen within 7 days, or nobody claimed it before its fixed time",
  cancelled: "cancelled by you, released by the playtester, or its reported problem was not answered",
  publishing: "accepted; the video of a public playtest is being published",
};

export const playtestMeanings: Record<PlaytestStatus, string> = {
  pending_payment: "ordered but not paid; it has no slots",
  active: "at least one slot can still change",
  completed: "every slot ended, at least one of them accepted or rejected",
  cancelled: "never paid, or all its slots were cancelled",
  expired: "every slot ended without a submission",
};

export const applicationMeanings: Record<ApplicationStatus, string> = {
  pending: "waits for your decision",
  approved: "you chose the playtester, who holds a slot",
  rejected: "you rejected it",
  auto_rejected: "no slot was left, or the 7 days ended",
  withdrawn: "the playtester withdrew it",
};

export const paymentMeanings: Record<PaymentStatus, string> = {
  pending: "waits for the money",
  completed: "paid",
  failed: "a charge of a saved card was declined, or `playtest sandbox pay --outcome declined`",
  cancelled: "not paid in time, or cancelled at the checkout",
  refunded: "paid back",
  disputed: "the payer disputed it, and the amount was taken back",
};

export const subscriptionMeanings: Record<SubscriptionStatus, string> = {
  incomplete: "the checkout was started but not paid",
  active: "paid for the present period",
  past_due: "a renewal payment failed and is tried again",
  cancelled: "ended",
};

export const eventMeanings: Record<EventKind, string> = {
  "slot.reserved": "a playtester claimed a slot, was chosen for one or may try again",
  "slot.submitted": "a playtester submitted a video",
  "slot.accepted": "you accepted a submission",
  "slot.rejected": "a submission was rejected",
  "slot.expired": "a deadline passed, or nobody was chosen within 7 days",
  "slot.blocked": "a playtester reported that the build cannot be played",
  "slot.published": "everybody can watch the video of a public playtest, at `url`",
  "slot.consent_withdrawn": "a playtester withdrew the consent to the publication of a video",
  "slot.publish_failed": "a video platform did not publish a video, which is on the server's own page instead",
  "slot.resolved": "a reported problem was answered, or its slot ended",
  "playtest.keys_low": "a playtest's open slots need more game keys than are left",
  "payment.disputed": "a card payment was disputed; you cannot order until the dispute has ended",
  "payment.dispute_ended": "a dispute was won or lifted by an administrator",
  "playtest.completed": "every slot of a playtest ended",
  "application.created": "a playtester applied",
  "application.approved": "you approved an application",
  "application.rejected": "you rejected an application",
  "application.auto_rejected": "no slot was left, or the 7 days ended",
  "payment.completed": "a payment arrived",
  "payment.failed": "a payment failed, or a crypto deposit was refunded",
  "subscription.created": "a subscription started",
  "subscription.renewed": "a subscription was renewed",
  "subscription.cancelled": "a subscription was cancelled or ended",
  "subscription.payment_failed": "a renewal payment failed",
  "payout.completed": "earnings were paid out (to playtesters)",
  "payout.failed": "a payout failed (to playtesters)",
  "slot.starting": "a playtest at a fixed time begins in 24 hours or in one (to its playtester)",
  "slot.move_proposed": "the owner proposes another fixed time (to the playtester of a slot)",
  "slot.move_answered":
    "a playtester accepted or declined another fixed time, or did not answer in time; or the owner took the proposal back (to the playtester of the slot)",
  "slot.cancelled": "you cancelled a claimed slot before its fixed time",
  "slot.due": "the deadline of a slot is near (to its playtester)",
  "order.approval_requested": "an order of an API key waits for your approval",
  "order.approval_decided": "such an order was approved or declined, or nobody decided in time",
  "budget.threshold": "50, 80 or 100 percent of a budget are spent",
  "budget.exceeded": "a budget refused an order or payment, for the first time in its day, month or total",
  "credit.low": "an order took your credit below the server's threshold",
  "approval.pending": "a free trial or its video waits for approval (to operators)",
  "approval.decided": "an operator approved your free trial or did not, or nobody decided before its fixed time",
  "chat.message": "someone wrote to you",
  "finding.created": "you created a finding, or split one off",
  "finding.merged": "a finding was merged into another",
  "finding.closed": "a finding became fixed, verified or wontfix",
  "finding.reopened": "a closed finding became open or filed again",
  "friend.requested": "another playtester asks to be your friend",
  "friend.accepted": "another playtester accepted your request",
  "team.requested": "a friend claimed a slot for several players, and waits for you to confirm",
  "team.confirmed": "everybody in your team confirmed, and the slot is reserved; or a member joined in the place of one who left",
  "team.incomplete": "a member of your team declined, left or did not confirm in time",
  "team.ended": "your team ended before it submitted a video, or goes on with another friend in your place",
  "webhook.disabled": "one of your webhooks was disabled",
  "test.ping": "you ran `playtest webhooks test`",
};

export const problemMeanings: Record<ErrorCode, string> = {
  BAD_REQUEST: "the request cannot be understood, or does not apply",
  UNAUTHORIZED: "no API key, or one that is unknown, expired or revoked",
  CODE_REQUIRED: "the account has a second factor: send `code`",
  BUDGET_EXCEEDED: "a budget does not cover it; `budget` says what is left",
  PAYMENT_REQUIRED: "too little credit or hours, or crypto payment instructions",
  FORBIDDEN: "the key lacks the scope, or the account may not do this",
  EMAIL_NOT_VERIFIED: "the account's email address is not verified",
  CONFIRMATION_REQUIRED: "confirm with a code first: `POST /auth/confirm`",
  SECOND_FACTOR_REQUIRED: "only an administrator with a second factor may do this",
  NOT_FOUND: "not found, or you do not have access to it",
  METHOD_NOT_ALLOWED: "the path does not take this method; see `Allow`",
  CONFLICT: "already exists, or the state does not allow it",
  PAYLOAD_TOO_LARGE: "the body or the file is too large",
  UNSUPPORTED_MEDIA_TYPE: "the body is not JSON",
  RANGE_NOT_SATISFIABLE: "the file has no such range of bytes",
  VALIDATION_ERROR: "a field or parameter is invalid; see `details`",
  IDEMPOTENCY_MISMATCH: "the idempotency key was used for another request",
  RATE_LIMITED: "too many requests; wait for `Retry-After`",
  INTERNAL_ERROR: "an unexpected error; it is in the server's log",
  NOT_IMPLEMENTED: "this server does not offer it",
  SERVICE_UNAVAILABLE: "temporarily not available; try again",
  NOT_CONFIGURED: "the operator of this server did not set this up; waiting does not help",
};
