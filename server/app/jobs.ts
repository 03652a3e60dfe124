import { disputeLater } from "../billing/cards/dispute-payment.ts";
import { confirmDeposit, releaseQuote } from "../billing/crypto/confirm-deposit.ts";
import { bookDeposit, keepDeposit, scanDeposits } from "../billing/crypto/scan-deposits.ts";
import { endSignedPayment } from "../billing/crypto/signed/end.ts";
import { expirePayment } from "../billing/expire-payments.ts";
import { renewSubscription } from "../billing/subscriptions/renew-subscriptions.ts";
import { mentionUnread } from "../chat/unread.ts";
import { sendSummary } from "../events/event-mails.ts";
import { deliverWebhook } from "../events/webhooks/deliver.ts";
import { fetchCover } from "../games/covers/fetch-cover.ts";
import type { JobKinds } from "../jobs/job.ts";
import type { JobKind } from "../jobs/purposes.ts";
import { sendMail } from "../mail/send-mail.ts";
import { removeConnection } from "../oauth/jobs.ts";
import { deleteAgain, listDeletion } from "../operations/backups/deletions.ts";
import { backUp } from "../operations/backups/job.ts";
import { removeOld } from "../operations/retention.ts";
import { sweepFiles } from "../operations/sweep.ts";
import { finishDeletion } from "../personal/jobs.ts";
import { closeWindow, expireOrder, expireSlot, watchSlot } from "../playtests/jobs.ts";
import { warnAboutKeys } from "../playtests/keys/service.ts";
import { expireApproval } from "../playtests/order-approvals/service.ts";
import { endPublishing, keepConnection, publishVideo } from "../playtests/publications/jobs.ts";
import { endProposal } from "../playtests/schedule/moves.ts";
import { remindSession } from "../playtests/schedule/sessions.ts";
import { tellOfPlaytests } from "../playtests/slots/new-offers.ts";
import { resolveProblem } from "../playtests/slots/report-moves.ts";
import { expireTeam } from "../playtests/teams/changes.ts";
import { fillSearch, indexText } from "../search/index-text.ts";
import { cutClip, discardClip } from "../sharing/clips/jobs.ts";
import { measureVideo } from "../sharing/signals/jobs.ts";
import { cutStill, discardStill, fillPosters } from "../sharing/stills/jobs.ts";
import { syncFinding } from "../trackers/jobs.ts";
import { transcribe } from "../transcripts/transcribe.ts";
import { discardFiles } from "../uploads/discard-files.ts";
import { discardUpload } from "../uploads/discard-upload.ts";
import { inspectVideos } from "../uploads/videos/jobs.ts";
import type { Deps } from "./deps.ts";

/** The work of every kind of background job. */
export const jobKinds: JobKinds<JobKind> = {
  "back-up": backUp,
  "book-deposit": bookDeposit,
  "confirm-deposit": confirmDeposit,
  "cut-clip": cutClip,
  "cut-still": cutStill,
  "delete-again": deleteAgain,
  "deliver-webhook": deliverWebhook,
  "dispute-payment": disputeLater,
  "end-signed-payment": endSignedPayment,
  "keep-deposit": keepDeposit,
  "lapse-payment": expirePayment,
  "discard-clip": discardClip,
  "discard-files": discardFiles,
  "discard-still": discardStill,
  "discard-upload": discardUpload,
  "fetch-cover": fetchCover,
  "fill-posters": fillPosters,
  "fill-search": fillSearch,
  "finish-deletion": finishDeletion,
  "index-text": indexText,
  "inspect-videos": inspectVideos,
  "list-deletion": listDeletion,
  "measure-video": measureVideo,
  "release-quote": releaseQuote,
  "remove-connection": removeConnection,
  "remove-old": removeOld,
  "renew-subscription": renewSubscription,
  "scan-deposits": scanDeposits,
  "send-mail": sendMail,
  "send-summary": sendSummary,
  "sync-finding": syncFinding,
  "sweep-files": sweepFiles,
  "mention-unread": mentionUnread,
  "expire-approval": expireApproval,
  "expire-order": expireOrder,
  "close-window": closeWindow,
  "remind-session": remindSession,
  "end-proposal": endProposal,
  "publish-video": publishVideo,
  "end-publishing": endPublishing,
  "keep-connection": keepConnection,
  "resolve-problem": resolveProblem,
  "expire-team": expireTeam,
  "warn-about-keys": warnAboutKeys,
  "tell-of-playtests": tellOfPlaytests,
  "watch-slot": watchSlot,
  // Queued by earlier versions, beside each other.
  "expire-slot": expireSlot,
  "remind-holder": watchSlot,
  transcribe,
};

/** What kinds of jobs need that not every process on a database has, for instance while a setting is rolled out to one after the other. */
const needs: Partial<Record<JobKind, (deps: Deps) => unknown>> = {
  "back-up": ({ config, backUp }) => config.backup.to !== null && backUp,
  "list-deletion": ({ config }) => config.backup.to !== null,
  "cut-clip": ({ cutter }) => cutter,
  "cut-still": ({ cutter }) => cutter,
  "fill-posters": ({ cutter }) => cutter,
  "measure-video": ({ meter }) => meter,
  transcribe: ({ transcriber }) => transcriber,
};

/** Whether this process lacks it. The clock of a sandbox waits for all of its jobs. */
export function lacks(kind: string, deps: Deps): boolean {
  const need = needs[kind as JobKind];
  return need !== undefined && !deps.config.sandbox && !need(deps);
}
