/**
 * Every kind of background job, by the name in its rows, with what it does, for operators who look at those that failed. The work of each
 * stands in `server/app/jobs.ts`.
 */
const purposes = {
  "back-up": "back up the server",
  "book-deposit": "record a crypto deposit that a scan found",
  "close-window": "close slots that nobody claimed, and the time for applications",
  "confirm-deposit": "confirm a crypto deposit",
  "cut-clip": "cut a clip",
  "cut-still": "cut a still image",
  "delete-again": "delete an account that was deleted before a restore",
  "deliver-webhook": "deliver webhooks to a host",
  "discard-clip": "remove the files of a deleted clip",
  "discard-files": "remove files of deleted accounts and replaced transcripts",
  "discard-still": "remove the file of a deleted still image",
  "discard-upload": "remove an upload that was not finished",
  "dispute-payment": "record a dispute of a payment",
  "end-proposal": "release a slot whose playtester did not answer another time",
  "end-publishing": "show a video on the own page that a platform did not publish in time",
  "end-signed-payment": "find out what became of a signed payment",
  "expire-approval": "end the time to approve an order",
  "expire-order": "expire an order that was not paid",
  "expire-slot": "expire a slot",
  "expire-team": "end the time in which friends can confirm",
  "fetch-cover": "fetch the cover image of a game",
  "fill-posters": "cut the posters of older videos",
  "fill-search": "fill the search index",
  "finish-deletion": "remove what was kept of a deleted account for a time",
  "index-text": "index a text for the search",
  "inspect-videos": "read what older videos are made of",
  "keep-connection": "keep the account of a video platform connected",
  "keep-deposit": "keep a crypto deposit that matches no payment",
  "lapse-payment": "expire a payment that was not made",
  "list-deletion": "list a deleted account beside the backups",
  "measure-video": "measure a video",
  "mention-unread": "remind a person of unread messages",
  "publish-video": "publish a video, or delete a published one",
  "release-quote": "release the amount of a crypto payment",
  "remind-session": "remind a playtester of a playtest at a fixed time",
  "remind-holder": "remind a playtester of a deadline",
  "remove-connection": "remove a connection that a program did not complete",
  "remove-old": "remove data whose time has ended",
  "renew-subscription": "renew a subscription",
  "resolve-problem": "refund a problem that its owner did not answer",
  "scan-deposits": "look for crypto deposits",
  "send-mail": "send an email",
  "send-summary": "send an email that collects notifications",
  "sync-finding": "compare a finding with its issue in a tracker",
  "sweep-files": "remove files that belong to nothing",
  "tell-of-playtests": "tell a playtester of new playtests",
  transcribe: "transcribe a video",
  "warn-about-keys": "tell an owner that game keys run out",
  "watch-slot": "remind of and keep the deadline of a slot",
} as const;

export type JobKind = keyof typeof purposes;

const isKnown = (kind: string): kind is JobKind => Object.hasOwn(purposes, kind);

/** A phrase such as `cut a clip`; the kind itself for jobs of another version. */
export const purposeOf = (kind: string): string => (isKnown(kind) ? purposes[kind] : kind);
