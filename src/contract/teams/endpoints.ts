import * as z from "zod";
import { acceptConsent } from "../accounts/agreements.ts";
import { endpoint } from "../endpoint.ts";
import { cents, confirmedTime, id, message, pageQuery, timestamp } from "../fields.ts";
import { publicationConsent } from "../publications/endpoints.ts";
import { friendStatuses, memberStatuses, teamStatuses } from "./statuses.ts";

/** Friends of playtesters, and the teams in which they play the slots of multiplayer playtests. */
const own = { access: ["playtester"], extension: true } as const;

/** Most players of one slot besides the one who claims it. */
const maxFriends = 7;

export const handle = () =>
  z
    .string()
    .min(3)
    .max(30)
    .regex(
      /^[a-z0-9]+([-_][a-z0-9]+)*$/,
      "must be 3 to 30 lowercase letters and digits, with single hyphens or underscores between them",
    );

export const friend = z
  .strictObject({
    id: id(),
    status: z.enum(friendStatuses).meta({
      description:
        "`sent` is your request, `received` theirs. A request that was declined stays `sent`, and arrives again when you repeat it after 7 days.",
    }),
    handle: z.string(),
    displayName: z.string().nullable().meta({ description: "Null for a request of yours and for whoever you blocked." }),
    available: z.boolean().meta({ description: "Whether a connected friend can be named for a team; false otherwise." }),
    createdAt: timestamp(),
  })
  .meta({ id: "Friend" });

export const playtesterProfile = z
  .strictObject({
    handle: z.string().nullable().meta({ description: "The name by which others find you; null while nobody can." }),
    link: z.string().nullable().meta({ description: "Page on which others can send you a request; null without a handle." }),
    available: z.boolean().meta({ description: "Whether friends can name you for a team." }),
  })
  .meta({ id: "PlaytesterProfile" });

/** What an offer for several players says of the team that it needs. */
export const offeredTeam = z
  .strictObject({
    friendsNeeded: z.int().meta({ description: "How many friends a claim must name." }),
    confirmWithinMinutes: z.int().meta({ description: "How long they have to confirm; then the slot is open again." }),
    friends: z
      .array(z.strictObject({ handle: z.string(), displayName: z.string() }))
      .meta({ description: "Your friends who are available and may claim this playtest." }),
  })
  .meta({ id: "OfferedTeam" });

export const teamMember = z
  .strictObject({
    handle: z.string().nullable().meta({ description: "Null for one who has no handle any more." }),
    displayName: z.string(),
    isYou: z.boolean(),
    isClaimant: z.boolean().meta({ description: "Who claimed the slot: submits the video, and can release the slot." }),
    status: z.enum(memberStatuses).meta({
      description: "`expired`: did not answer in time. `replaced`: another friend was asked before they answered.",
    }),
    shareCents: cents().meta({ description: "Their share of the payout." }),
    answerBy: timestamp().nullable().meta({ description: "Until when they can confirm; null unless they were asked." }),
    canBeReplaced: z.boolean().meta({
      description:
        "Whether you, who claimed the slot, can ask another friend in their place while the team can change: they have not confirmed, cannot play any more, or had a place last that is empty.",
    }),
  })
  .meta({ id: "TeamMember" });

export const team = z
  .strictObject({
    status: z.enum(teamStatuses).meta({
      description: "`asking`: the slot is held until everybody confirmed. `complete`: everybody did, and the slot was reserved.",
    }),
    confirmBy: timestamp().nullable().meta({ description: "When the slot is open again; null once the team is complete." }),
    yourShareCents: cents(),
    mustAccept: z.boolean().meta({
      description:
        "Whether you must accept an agreement before you confirm, or, if it was changed since, before the slot is reserved.",
    }),
    publicationConsent: publicationConsent
      .nullable()
      .meta({ description: "What you consent to by confirming; null if the video is not published." }),
    members: z.array(teamMember),
  })
  .meta({ id: "Team" });

/** Friends that a claim names. */
export const teamFriends = () =>
  z
    .array(
      z.strictObject({
        handle: handle().meta({ description: "A friend of yours." }),
        shareCents: cents().optional().meta({ description: "Their share of the payout; default an equal part of the rest." }),
      }),
    )
    .min(1)
    .max(maxFriends)
    .optional()
    .meta({
      description: "For several players, where the server asks for friends: who plays with you. All of them must confirm.",
    });

const shares = z
  .array(z.strictObject({ handle: handle(), shareCents: cents() }))
  .min(1)
  .max(maxFriends)
  .meta({ description: "New shares. Yours is what is left of the payout." });

const friendReply = z.strictObject({ friend });

export const friends = {
  listFriends: endpoint("GET /playtester/friends", {
    ...own,
    summary: "List your friends, requests and blocked playtesters",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ friends: z.array(friend) }),
  }),
  requestFriend: endpoint("POST /playtester/friends", {
    ...own,
    summary: "Ask a playtester to be your friend, or accept their request",
    body: z.strictObject({ handle: handle().meta({ description: "The handle of the playtester." }) }),
    status: 201,
    reply: friendReply,
  }),
  acceptFriend: endpoint("POST /playtester/friends/:id/accept", {
    ...own,
    summary: "Accept a friend request",
    reply: friendReply,
  }),
  removeFriend: endpoint("DELETE /playtester/friends/:id", {
    ...own,
    summary: "Remove a friend, decline or withdraw a request, or unblock a playtester",
    reply: message(),
  }),
  blockPlaytester: endpoint("POST /playtester/friends/block", {
    ...own,
    summary: "Block a playtester: they are not told, and cannot reach you or play with you",
    body: z.strictObject({ handle: handle().meta({ description: "The handle of the playtester." }) }),
    reply: friendReply,
  }),
  getPlaytesterProfile: endpoint("GET /playtester/profile", {
    ...own,
    summary: "Show what your friends see of you",
    reply: z.strictObject({ profile: playtesterProfile }),
  }),
  updatePlaytesterProfile: endpoint("PATCH /playtester/profile", {
    ...own,
    summary: "Change your handle, or whether friends can name you for a team",
    body: z.strictObject({
      handle: handle().optional().meta({ description: "The name by which other playtesters find you." }),
      available: z.boolean().optional().meta({ description: "Whether friends can name you for a team." }),
    }),
    reply: z.strictObject({ profile: playtesterProfile }),
  }),
};

/** The endpoints of a team, whose reply is the slot. */
export const teamsWith = <Reply extends z.ZodType>(slotReply: Reply) => ({
  confirmTeam: endpoint("POST /playtester/slots/:id/team/confirm", {
    ...own,
    summary: "Confirm that you play a slot with a friend",
    body: z.strictObject({
      shareCents: cents().meta({ description: "Your share of the payout as you have seen it; another one is refused." }),
      scheduledAt: confirmedTime(),
      acceptConsent: acceptConsent(),
    }),
    reply: slotReply,
    secretReply: true,
  }),
  declineTeam: endpoint("POST /playtester/slots/:id/team/decline", {
    ...own,
    summary: "Decline to play a slot with a friend",
    reply: message(),
  }),
  leaveTeam: endpoint("POST /playtester/slots/:id/team/leave", {
    ...own,
    summary: "Leave a team before its deadline; you cannot play this playtest again",
    reply: message(),
  }),
  replaceTeamMember: endpoint("POST /playtester/slots/:id/team/replace", {
    ...own,
    summary: "Ask another friend in the place of a member who is missing",
    body: z.strictObject({
      missing: handle()
        .optional()
        .meta({ description: "The member to replace: has not confirmed, or left. Needed only if there are several." }),
      with: handle().meta({ description: "The friend to ask, for the same share." }),
    }),
    reply: slotReply,
    secretReply: true,
  }),
  setTeamShares: endpoint("PUT /playtester/slots/:id/team/shares", {
    ...own,
    summary: "Change the shares of a team before it is complete; everybody is asked again",
    body: z.strictObject({ shares }),
    reply: slotReply,
    secretReply: true,
  }),
});
