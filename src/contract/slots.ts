import * as z from "zod";
import { audited, endpoint, KiB } from "./endpoint.ts";
import {
  cents,
  extension,
  gameKeys,
  id,
  message,
  minutes,
  page,
  pageQuery,
  queryInteger,
  readableText,
  text,
  timestamp,
} from "./fields.ts";
import { videoContainers } from "./files/media.ts";
import { deviceNames, playedBuild } from "./games.ts";
import { visibilities } from "./order-body.ts";
import { givenConsent, publication } from "./publications/endpoints.ts";
import { slotStatuses, transcriptionStatuses } from "./states/index.ts";
import { reviewLimitHeader } from "./text/review-limit.ts";

const owner = { access: ["game_owner"] } as const;

export const blockReasons = ["build_unavailable", "crash", "key_invalid", "not_as_described", "unsafe", "other"] as const;
export type BlockReason = (typeof blockReasons)[number];

/** How a report ended: `expired` when nobody answered it in time. */
export const reportOutcomes = ["unblocked", "cancelled", "released", "expired"] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];
export const transcriptVersions = ["original", "edited"] as const;

export const playtester = z.strictObject({ id: id(), displayName: z.string() });

export const videoFaults = ["not-video", "unfinished", "no-picture", "encrypted"] as const;

/** What a video is made of. */
export const videoFormat = () =>
  z
    .strictObject({
      container: z.enum(videoContainers),
      tracks: z.array(
        z.strictObject({
          kind: z.enum(["video", "audio"]),
          codec: z
            .string()
            .nullable()
            .meta({ description: "Such as `avc` (H.264), `hevc`, `vp9`, `aac` or `opus`; null if it is unknown." }),
          profile: z.string().nullable().meta({ description: "The codec with its profile, such as `avc1.64001f`." }),
          width: z.int().nullable().meta({ description: "Width of the picture in pixels; null for sound." }),
          height: z.int().nullable().meta({ description: "Height of the picture in pixels; null for sound." }),
        }),
      ),
      playsEverywhere: z.boolean().meta({
        description: "Whether every current browser shows it: H.264 with AAC in MP4, or VP8 or VP9 with Opus or Vorbis in WebM.",
      }),
      fault: z.enum(videoFaults).nullable().meta({
        description: "Why nobody can watch it. `unfinished`: it has no index (`moov`), or no pictures. Null if nothing is wrong.",
      }),
    })
    .nullable()
    .meta({ description: "What the video is made of; null while it is not known, or if the file cannot be read." });

export const submission = z
  .strictObject({
    id: id(),
    videoFileSize: z.int().nullable().meta({ description: "Size in bytes." }),
    videoDurationSeconds: extension(
      z.int().nullable().meta({ description: "Length of the video; null if it cannot be read from the file." }),
    ),
    videoFormat: extension(videoFormat()),
    notes: z.string().nullable(),
    device: extension(
      z
        .enum(deviceNames)
        .nullable()
        .meta({ description: "What it was played on, as the playtester said; null if they did not." }),
    ),
    createdAt: timestamp(),
  })
  .meta({ id: "Submission" });

export const rating = z
  .strictObject({
    score: z.int().nullable(),
    comment: z.string().nullable(),
  })
  .meta({ id: "Rating" });
export const rejection = z
  .strictObject({
    reason: z.string().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Rejection" });

export const transcription = z
  .strictObject({
    id: id(),
    status: z.enum(transcriptionStatuses),
    selectedVersion: z.enum(transcriptVersions).nullable(),
  })
  .meta({ id: "Transcription" });

/** Longest edited transcript, in characters: a day of speech is shorter. */
export const maxTranscriptLength = 500_000;

const transcript = z.strictObject({
  downloadUrl: z.string(),
  filename: z.string(),
  version: z.enum(transcriptVersions),
  keyTakeaways: z.array(z.string()),
});

export const blockedReport = z
  .strictObject({
    reasonCode: z.enum(blockReasons),
    notes: z.string().nullable(),
    reportedAt: timestamp(),
    answerBy: extension(
      timestamp()
        .nullable()
        .meta({ description: "When the slot is cancelled and refunded if nobody answers; null once resolved." }),
    ),
    outcome: extension(
      z.enum(reportOutcomes).nullable().meta({
        description:
          "`unblocked`: the playtester got the slot back. `cancelled`: by the owner. `released`: by the playtester. `expired`: nobody answered in time. Null while the slot is blocked.",
      }),
    ),
    message: extension(z.string().nullable().meta({ description: "What the playtester was told when the slot was unblocked." })),
    resolvedAt: extension(timestamp().nullable()),
  })
  .meta({ id: "BlockedReport" });

/** When a slot is played, and the other time that its owner proposes. */
export const slotTimes = {
  scheduledAt: extension(
    timestamp().nullable().meta({ description: "Fixed time at which it is played; null if its playtester chooses." }),
  ),
  proposal: extension(
    z
      .strictObject({
        scheduledAt: timestamp(),
        answerBy: timestamp().meta({ description: "When the slot is released unless its playtester accepts." }),
      })
      .nullable()
      .meta({ description: "Another time that the owner proposes, while its playtester has not answered." }),
  ),
};

/** What owner and playtester see of a slot. */
export const slotHead = {
  id: id(),
  requestId: id(),
  status: z.enum(slotStatuses),
  deadlineAt: timestamp().nullable(),
  ...slotTimes,
  createdAt: timestamp(),
};

export const slot = z
  .strictObject({
    ...slotHead,
    playtester: playtester.nullable(),
    submission: submission.nullable(),
    rating: rating.nullable(),
    rejection: rejection.nullable(),
    transcription: transcription.nullable(),
    blockedReport: extension(
      blockedReport.nullable().meta({ description: "Latest problem that its playtester reported; kept after it is resolved." }),
    ),
  })
  .meta({ id: "Slot" });

export const slotGame = z.strictObject({ id: id(), name: z.string() });
export const slotPlaytest = z.strictObject({
  id: id(),
  visibility: z.enum(visibilities),
  durationMinutes: minutes(),
  playerCount: z.int(),
});

export const publishedUrl = extension(
  z
    .string()
    .nullable()
    .meta({ description: "URL of the public page with the video of a public playtest, once it is published." }),
);

export const slotDetail = slot
  .extend({
    game: slotGame,
    playtest: slotPlaytest,
    transcription: transcription.extend({ keyTakeaways: z.array(z.string()).nullable() }).nullable(),
    publishedUrl,
  })
  .meta({ id: "SlotDetail" });

/** A slot as its owner sees it alone. */
export const ownSlot = slotDetail
  .extend({
    build: extension(
      z
        .strictObject({ id: id(), version: z.string().nullable(), createdAt: timestamp() })
        .nullable()
        .meta({ description: playedBuild }),
    ),
    awaitingAdminApproval: extension(z.boolean().meta({ description: "Whether the video waits for an administrator." })),
    posterUrl: extension(
      z.string().nullable().meta({ description: "Signed link to an image of the video, valid for one hour; null without one." }),
    ),
    publication: extension(
      publication
        .nullable()
        .meta({ description: "What became of the publication of its video; null if it was not to be published." }),
    ),
    publicationConsent: extension(
      givenConsent.nullable().meta({
        description:
          "What its playtester consented to, for the video of a public playtest; null for others and from before it was recorded.",
      }),
    ),
  })
  .meta({ id: "OwnSlot" });

export const submissionItem = z
  .strictObject({
    slot: z.strictObject({
      id: id(),
      requestId: id(),
      status: z.enum(slotStatuses),
      reservedBy: id().nullable(),
      deadlineAt: timestamp().nullable(),
      createdAt: timestamp(),
    }),
    submission: submission.extend({ videoStorageKey: z.string() }).nullable(),
    game: slotGame,
    playtest: slotPlaytest.extend({ isFreePublicTrial: z.boolean() }),
    playtester: playtester.nullable(),
    awaitingAdminApproval: z.boolean(),
    blockedReport: blockedReport.nullable(),
    transcription: transcription.nullable(),
  })
  .meta({ id: "SubmissionItem" });

export const publishedVideo = z
  .strictObject({
    slotId: id(),
    gameId: extension(id()),
    gameName: z.string(),
    gameUrl: extension(z.string().nullable().meta({ description: "Page of the game; null without one." })),
    playtesterName: z.string().meta({ description: "`A playtester` for one who is not named." }),
    publishedAt: timestamp(),
    pageUrl: extension(z.string().meta({ description: "Page of the video on this server." })),
    publishedUrl: extension(z.string().meta({ description: "The same as `pageUrl`." })),
    videoUrl: z.string().meta({ description: "URL of the video file; supports `Range`." }),
    posterUrl: extension(z.string().nullable().meta({ description: "URL of an image of the video; null without one." })),
    captionsUrl: extension(z.string().nullable().meta({ description: "URL of its captions in WebVTT; null without any." })),
    durationSeconds: extension(
      z.int().nullable().meta({ description: "Length of the video; null if it cannot be read from the file." }),
    ),
  })
  .meta({ id: "PublishedVideo" });

/** Headers of a review. */
const reviewHeaders = z.object({
  [reviewLimitHeader]: queryInteger(0, 100_000).optional().meta({
    description:
      "The most submissions that the API key may accept or reject in a UTC day with this header. The review is refused (409) where it has made as many.",
  }),
});

export const slots = {
  listSlots: endpoint("GET /playtests/:id/slots", {
    ...owner,
    summary: "List the slots of a playtest",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ slots: z.array(slot) }),
  }),
  getPublishedVideo: endpoint("GET /slots/:id/published-video", {
    access: "none",
    extension: true,
    summary: "Show the video of a slot that is published on this server's pages",
    reply: z.strictObject({ video: publishedVideo }),
  }),
  listPublishedVideos: endpoint("GET /published-videos", {
    access: "none",
    extension: true,
    summary: "List the videos that are published on this server's pages, newest first",
    query: z.object({ ...page, game: id().optional().meta({ description: "Only videos of this game." }) }),
    list: true,
    reply: z.strictObject({ videos: z.array(publishedVideo) }),
  }),
  getSlot: endpoint("GET /playtests/slots/:id", {
    ...owner,
    also: ["/slots/:id"],
    summary: "Show a slot with its submission",
    reply: z.strictObject({ slot: ownSlot }),
  }),
  deleteSlot: endpoint("DELETE /playtests/slots/:id", {
    ...owner,
    also: ["/slots/:id"],
    extension: true,
    summary:
      "Cancel an unclaimed or blocked slot, or a claimed one before its fixed time, and refund it; in the last 12 hours before that time, its playtester is paid instead",
    risk: "destroy",
    reply: z.strictObject({
      message: z.string(),
      refundedCents: cents(),
      refundedMinutes: minutes(),
    }),
  }),
  acceptSlot: endpoint("POST /playtests/slots/:id/accept", {
    ...owner,
    also: ["/slots/:id/accept"],
    summary: "Accept a submission and pay the playtester",
    headers: reviewHeaders,
    body: z
      .strictObject({
        rating: z.int().min(1).max(5).optional().meta({ description: "Rating of the playtest." }),
        comment: readableText(1000, 0).optional().meta({ description: "Comment on the rating." }),
      })
      .prefault({}),
    reply: message(),
  }),
  rejectSlot: endpoint("POST /playtests/slots/:id/reject", {
    ...owner,
    also: ["/slots/:id/reject"],
    summary: "Reject a submission",
    headers: reviewHeaders,
    body: z
      .strictObject({
        reason: readableText(5000, 0).optional().meta({ description: "Reason, shown to the playtester." }),
        allowRetry: z.boolean().default(false).meta({ description: "Let the same playtester try again within 24 hours." }),
      })
      .prefault({}),
    reply: message(),
  }),
  unblockSlot: endpoint("POST /playtests/slots/:id/unblock", {
    access: { anyOf: ["game_owner", "approve"] },
    ...audited("slot.unblock"),
    also: ["/slots/:id/unblock"],
    extension: true,
    summary: "Unblock a slot and give its playtester the newest build and a new deadline",
    body: z
      .strictObject({
        message: readableText(2000).optional().meta({ description: "Answer, shown to the playtester." }),
        keys: gameKeys(8).optional().meta({ description: "New game keys for the playtester, one for each player." }),
      })
      .prefault({}),
    reply: z.strictObject({ slot: slotDetail }),
  }),
  getSlotDownloadUrl: endpoint("GET /playtests/slots/:id/download-url", {
    ...owner,
    also: ["/slots/:id/download-url"],
    summary: "Get a signed link to the video, valid for one hour",
    reply: z.strictObject({ downloadUrl: z.string(), expiresAt: timestamp() }),
  }),
  getSlotTranscript: endpoint("GET /playtests/slots/:id/transcript", {
    ...owner,
    also: ["/slots/:id/transcript"],
    summary: "Get a link to the transcript and its key takeaways",
    reply: transcript,
  }),
  putSlotTranscript: endpoint("PUT /playtests/slots/:id/transcript", {
    ...owner,
    also: ["/slots/:id/transcript"],
    extension: true,
    summary: "Replace the transcript with an edited version",
    maxBodyBytes: 2048 * KiB,
    body: z.strictObject({
      vtt: text(maxTranscriptLength, 1).meta({
        description: "The edited transcript in WebVTT or SubRip (SRT), which is stored as WebVTT.",
      }),
    }),
    reply: transcript,
  }),
  deleteSlotTranscript: endpoint("DELETE /playtests/slots/:id/transcript", {
    ...owner,
    also: ["/slots/:id/transcript"],
    extension: true,
    summary: "Delete the edited transcript and return to the automatic one",
    risk: "destroy",
    reply: message(),
  }),
  listSubmissions: endpoint("GET /playtests/submissions", {
    ...owner,
    also: ["/submissions"],
    summary: "List the slots with one status across all your games",
    query: z.object({
      ...page,
      status: z.enum(slotStatuses).default("submitted").meta({ description: "Slot status to list." }),
    }),
    list: true,
    reply: z.strictObject({ submissions: z.array(submissionItem) }),
  }),
};
