import * as z from "zod";
import { acceptConsent } from "./accounts/agreements.ts";
import { ownPayoutDetails } from "./accounts/payout-details.ts";
import { statements } from "./accounts/statements.ts";
import { targeted } from "./accounts/traits.ts";
import { endpoint } from "./endpoint.ts";
import { cents, confirmedTime, id, languageOr, minutes, pageQuery, proposedTime, readableText, timestamp } from "./fields.ts";
import { deviceNames, gameWithRelations } from "./games.ts";
import { uploadHeaders } from "./headers.ts";
import { selectionModes, visibilities } from "./order-body.ts";
import { publicationConsent } from "./publications/endpoints.ts";
import {
  blockedReport,
  blockReasons,
  publishedUrl,
  rating,
  rejection,
  slotHead,
  slotPlaytest,
  submission,
  videoFormat,
} from "./slots.ts";
import { applicationStatuses, payoutStatuses, slotStatuses } from "./states/index.ts";
import { friends, offeredTeam, team, teamFriends, teamsWith } from "./teams/endpoints.ts";

/** In a filter of offers: what the profile of the playtester names. */
export const mine = "mine";

const own = { access: ["playtester"], extension: true } as const;

/** A game as playtesters see it: without its owner's side, its instructions and its build. */
export const offeredGame = gameWithRelations
  .pick({
    id: true,
    name: true,
    description: true,
    coverImageUrl: true,
    externalUrl: true,
    categories: true,
    devices: true,
    platforms: true,
    languages: true,
  })
  .extend({
    coverPath: z
      .string()
      .nullable()
      .meta({ description: "Path on this server to its copy of the cover image; null while it has none." }),
  });

/** `ended`: nothing can happen to them any more. */
export const slotStates = ["active", "ended"] as const;
export type SlotState = (typeof slotStates)[number];

const minVideoSeconds = () => z.int().meta({ description: "Shortest video that can be submitted; 0 for no minimum." });

export const offer = z
  .strictObject({
    id: id(),
    game: offeredGame,
    visibility: z.enum(visibilities),
    durationMinutes: minutes(),
    playerCount: z.int(),
    payoutCents: cents(),
    selectionMode: z.enum(selectionModes),
    qualifications: z.string().nullable(),
    panel: z.string().nullable().meta({ description: "Tester group that it is offered to; null for everyone." }),
    ...targeted,
    mustAccept: z.boolean().meta({ description: "Whether you must accept an agreement before claiming a slot." }),
    publicationConsent: publicationConsent
      .nullable()
      .meta({ description: "What you consent to by claiming a slot or applying; null if the video is not published." }),
    applicationsExpireAt: timestamp().nullable(),
    scheduledAt: timestamp()
      .nullable()
      .meta({ description: "Fixed time at which it is played, which a claim or application repeats; null if you choose." }),
    team: offeredTeam.nullable().meta({ description: "The friends that a claim must name; null if it must name none." }),
    slotsOpen: z.int(),
    minVideoSeconds: minVideoSeconds(),
    createdAt: timestamp(),
  })
  .meta({ id: "Offer" });

/** One offer with what claiming a slot of it means for the playtester who asks. */
export const shownOffer = offer
  .extend({
    deadlineHours: z.int().meta({
      description: "How many hours you have to the submission: from the fixed time, or else from the claim or the approval.",
    }),
    maxHeldSlots: z.int().meta({ description: "How many slots you can hold at once." }),
    whyNot: z
      .string()
      .nullable()
      .meta({ description: "Why you cannot claim a slot or apply now; null if you can, once you accepted the agreement." }),
    slotId: id().nullable().meta({
      description: "Your newest slot of this playtest, or that of a team that you are asked to join; null if there is none.",
    }),
    applicationId: id().nullable().meta({ description: "Your application to this playtest; null without one." }),
  })
  .meta({ id: "ShownOffer" });

/** Why a playtester lost a slot without a decision on a video. */
export const lossReasons = ["deadline", "closed", "released", "moved", "cancelled", "problem"] as const;
export type LossReason = (typeof lossReasons)[number];

/** A slot as its playtester sees it; what helps to play is there only while they hold it. */
export const heldSlot = z
  .strictObject({
    ...slotHead,
    game: offeredGame,
    playtest: slotPlaytest.extend({
      payoutCents: cents(),
      selectionMode: z.enum(selectionModes),
      minVideoSeconds: minVideoSeconds(),
    }),
    submission: submission.nullable(),
    hasCaptions: z.boolean().meta({ description: "Whether the submitted video has captions: its transcript is approved." }),
    rating: rating.nullable(),
    rejection: rejection.nullable(),
    lost: z
      .strictObject({
        why: z.enum(lossReasons).meta({
          description:
            "`deadline`: it passed before a video was submitted. `closed`: it closed before the team was complete. `released`: by who claimed it. `moved`: another time was declined, or not answered. `cancelled`: by the owner. `problem`: a reported problem ended it.",
        }),
        earnedCents: cents().meta({ description: "What you were paid for it all the same." }),
      })
      .nullable()
      .meta({ description: "Why you no longer hold it, where the owner did not decide on a video; null otherwise." }),
    blockedReport: blockedReport.nullable(),
    publishedUrl,
    consentWithdrawnAt: timestamp()
      .nullable()
      .meta({ description: "When you, or a member of your team, withdrew the consent to publish the video; null otherwise." }),
    attempt: z
      .strictObject({
        number: z.int().meta({ description: "1 for the first attempt at this playtest." }),
        before: z
          .strictObject({ slotId: id(), reason: z.string().nullable().meta({ description: "Why it was rejected." }) })
          .nullable()
          .meta({ description: "The attempt before this one; null for the first." }),
        next: z
          .strictObject({ slotId: id(), status: z.enum(slotStatuses), deadlineAt: timestamp().nullable() })
          .nullable()
          .meta({ description: "The attempt that was allowed when this one was rejected; null without one." }),
      })
      .meta({ description: "A rejection can allow another attempt, which is a slot of its own." }),
    team: team.nullable().meta({ description: "Who plays it, where a claim names friends; null for other slots." }),
    instructions: z.string().nullable().optional(),
    notesForTesters: z.string().nullable().optional(),
    keys: z.array(z.string()).optional(),
    buildUrl: z.string().optional(),
    uploadedVideo: z
      .strictObject({
        filename: z.string(),
        sizeBytes: z.int(),
        durationSeconds: z.int().nullable().meta({ description: "Length; null if it cannot be read from the file." }),
        format: videoFormat(),
      })
      .nullable()
      .optional()
      .meta({ description: "Video that was uploaded completely and can be submitted; null if there is none." }),
  })
  .meta({ id: "HeldSlot" });

export const ownApplication = z
  .strictObject({
    id: id(),
    playtestId: id(),
    gameId: id(),
    gameName: z.string(),
    coverPath: z
      .string()
      .nullable()
      .meta({ description: "Path on this server to the game's cover image; null while it has none." }),
    status: z.enum(applicationStatuses),
    mustAccept: z.boolean().meta({
      description: "Whether the agreement was changed since, so that you must accept it before the owner can approve you.",
    }),
    qualificationsResponse: z.string().nullable(),
    createdAt: timestamp(),
    reviewedAt: timestamp().nullable(),
    assignedSlotId: id().nullable(),
  })
  .meta({ id: "OwnApplication" });

export const earning = z
  .strictObject({
    id: id(),
    kind: z.enum(["payout", "withdrawal"]),
    amountCents: z.int(),
    slotId: id().nullable(),
    gameName: z.string().nullable().meta({ description: "Game that was played; null for payouts." }),
    durationMinutes: minutes().nullable().meta({ description: "Booked length of the playtest; null for payouts." }),
    payoutStatus: z
      .enum(payoutStatuses)
      .nullable()
      .meta({ description: "What became of the payout that it belongs to; null for earnings." }),
    paidTo: z.string().nullable().meta({ description: "Where the payout was made to, masked; null if that is not known." }),
    failure: z.string().nullable().meta({ description: "Why the payout failed, if that is known." }),
    createdAt: timestamp(),
    availableFrom: timestamp()
      .nullable()
      .meta({ description: "When it can be paid out; null if it can be now, for payouts, and while it is on hold." }),
    disputed: z.boolean().meta({ description: "Whether it is on hold because the payment is disputed." }),
  })
  .meta({ id: "Earning" });

const slotReply = z.strictObject({ slot: heldSlot });

export const playtester = {
  listOffers: endpoint("GET /playtester/playtests", {
    ...own,
    summary: "List playtests you can claim or apply to",
    query: pageQuery().extend({
      device: z
        .enum([...deviceNames, mine])
        .optional()
        .meta({ description: "Only games for this device, and games that name none; `mine` for those of your profile." }),
      language: languageOr(mine).optional().meta({
        description:
          "Only games in this language, such as en or pt-BR, and games that name none; `mine` for those of your profile.",
      }),
    }),
    list: true,
    reply: z.strictObject({
      playtests: z.array(offer),
      heldSlots: z.int().meta({ description: "How many slots you hold. `limits.reservedSlots` of the server is the maximum." }),
      filters: z.strictObject({
        languages: z
          .array(z.string())
          .meta({ description: "Languages of all games that are offered to you, whatever the filter." }),
      }),
    }),
  }),
  getOffer: endpoint("GET /playtester/playtests/:id", {
    ...own,
    summary: "Show a playtest that you can claim, apply to, or took part in",
    reply: z.strictObject({ playtest: shownOffer }),
  }),
  claimPlaytest: endpoint("POST /playtester/playtests/:id/claim", {
    ...own,
    summary: "Claim a slot",
    body: z.strictObject({ acceptConsent: acceptConsent(), scheduledAt: confirmedTime(), with: teamFriends() }).prefault({}),
    status: 201,
    reply: slotReply,
    secretReply: true,
  }),
  applyToPlaytest: endpoint("POST /playtester/playtests/:id/applications", {
    ...own,
    summary: "Apply to a playtest with manual selection",
    body: z
      .strictObject({
        qualificationsResponse: readableText(5000, 0).optional().meta({ description: "How you meet the requirements." }),
        acceptConsent: acceptConsent(),
        scheduledAt: confirmedTime(),
      })
      .prefault({}),
    status: 201,
    reply: z.strictObject({ application: ownApplication }),
  }),
  listOwnApplications: endpoint("GET /playtester/applications", {
    ...own,
    summary: "List your applications",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ applications: z.array(ownApplication) }),
  }),
  withdrawApplication: endpoint("POST /playtester/applications/:id/withdraw", {
    ...own,
    summary: "Withdraw a pending application",
    reply: z.strictObject({ application: ownApplication }),
  }),
  listHeldSlots: endpoint("GET /playtester/slots", {
    ...own,
    summary: "List your slots",
    query: pageQuery().extend({
      state: z.enum(slotStates).optional().meta({ description: "Only slots that are `active`, or those that have `ended`." }),
    }),
    list: true,
    reply: z.strictObject({ slots: z.array(heldSlot) }),
  }),
  getHeldSlot: endpoint("GET /playtester/slots/:id", {
    ...own,
    summary: "Show one of your slots, with build and keys while you hold it",
    reply: slotReply,
  }),
  createVideoUpload: endpoint("POST /playtester/slots/:id/video", {
    ...own,
    summary: "Start a resumable video upload (tus 1.0)",
    media: "tus",
    status: 201,
    reply: z.strictObject({}),
    headers: uploadHeaders,
    errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  }),
  submitSlot: endpoint("POST /playtester/slots/:id/submit", {
    ...own,
    summary: "Submit the uploaded video",
    body: z
      .strictObject({
        notes: readableText(5000, 0).optional().meta({ description: "Notes for the game owner." }),
        device: z.enum(deviceNames).optional().meta({ description: "What you played on." }),
      })
      .prefault({}),
    reply: slotReply,
    secretReply: true,
  }),
  releaseSlot: endpoint("POST /playtester/slots/:id/release", {
    ...own,
    summary: "Release a slot; you cannot claim another slot of this playtest",
    risk: "destroy",
    reply: slotReply,
  }),
  rescheduleSlot: endpoint("POST /playtester/slots/:id/reschedule", {
    ...own,
    summary: "Accept or decline another fixed time of a slot",
    body: z.strictObject({
      accept: z
        .boolean()
        .meta({ description: "`true` to play then; `false` releases the slot, which does not count against you." }),
      scheduledAt: proposedTime(),
    }),
    reply: slotReply,
    secretReply: true,
  }),
  withdrawVideo: endpoint("POST /playtester/slots/:id/unpublish", {
    ...own,
    extension: true,
    summary: "Withdraw your consent to publish your video, before it is accepted or after",
    risk: "destroy",
    body: z
      .strictObject({ reason: readableText(2000).optional().meta({ description: "Reason, shown to the game owner." }) })
      .prefault({}),
    reply: slotReply,
  }),
  reportSlot: endpoint("POST /playtester/slots/:id/report", {
    ...own,
    summary: "Report that the build cannot be played",
    body: z.strictObject({
      reasonCode: z.enum(blockReasons).meta({ description: "Why the build cannot be played." }),
      notes: readableText(2000, 0).optional().meta({ description: "Details of the problem." }),
    }),
    reply: slotReply,
    secretReply: true,
  }),
  ...friends,
  ...teamsWith(slotReply),
  ...ownPayoutDetails,
  ...statements,
  getEarnings: endpoint("GET /playtester/earnings", {
    ...own,
    summary: "Show your earnings and payouts",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({
      balanceCents: cents().meta({ description: "Earnings not paid out yet: available, held and on hold." }),
      availableCents: cents().meta({ description: "What can be paid out now." }),
      heldCents: cents().meta({ description: "What is held because it may come from a card payment." }),
      nextReleaseAt: timestamp()
        .nullable()
        .meta({ description: "When a part of what is held becomes available; null if nothing is held." }),
      heldUntil: timestamp()
        .nullable()
        .meta({ description: "When all that is held becomes available; null if nothing is held." }),
      disputedCents: cents().meta({ description: "What is on hold until the dispute of a payment has ended." }),
      paidCents: cents().meta({ description: "What was paid out." }),
      pendingCents: cents().meta({ description: "Payouts on the way; not part of the balance any more." }),
      entries: z.array(earning),
    }),
  }),
};
