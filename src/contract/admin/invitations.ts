import * as z from "zod";
import { audited, endpoint, KiB } from "../endpoint.ts";
import { email, id, page, readableText, timestamp } from "../fields.ts";
import { mailStates } from "./mails.ts";

const accounts = { access: ["accounts"], extension: true } as const;

/** Roles that people are invited as. */
export const invitedRoles = ["playtester", "game_owner"] as const;
export type InvitedRole = (typeof invitedRoles)[number];

export const invitationStates = ["invited", "joined", "expired", "revoked"] as const;
export type InvitationState = (typeof invitationStates)[number];

/** `invited`: an email is on its way. `already_invited`: the earlier email is still valid and was not refused. `has_account`: nothing was sent. */
export const inviteOutcomes = ["invited", "already_invited", "has_account"] as const;
export type InviteOutcome = (typeof inviteOutcomes)[number];

export const maxInvitations = 200;

export const invitation = z
  .strictObject({
    id: id(),
    email: z.string(),
    role: z.enum(invitedRoles),
    name: z.string().nullable(),
    state: z.enum(invitationStates),
    createdAt: timestamp(),
    sentAt: timestamp().meta({ description: "When the newest email was written." }),
    expiresAt: timestamp().meta({ description: "Until when its link works." }),
    joinedAt: timestamp().nullable(),
    delivery: z.enum(mailStates).nullable().meta({
      description: "What became of the newest email: `failed` if it is not retried; null if it is no longer known.",
    }),
    deliveryError: z.string().nullable().meta({ description: "Why the last try to send it failed; null once it was sent." }),
  })
  .meta({ id: "Invitation" });

export const invitations = {
  listInvitations: endpoint("GET /admin/invitations", {
    ...accounts,
    summary: "List invitations and whether the people joined",
    query: z.object({
      ...page,
      state: z.enum(invitationStates).optional().meta({ description: "Only invitations in this state." }),
    }),
    list: true,
    reply: z.strictObject({ invitations: z.array(invitation) }),
  }),
  invite: endpoint("POST /admin/invitations", {
    ...accounts,
    ...audited("invitation.create", "again"),
    summary: "Invite people by email: each gets a link that creates the account and signs in",
    body: z.strictObject({
      invitations: z
        .array(
          z.strictObject({
            email: email().meta({ description: "Address to invite." }),
            role: z.enum(invitedRoles).default("playtester").meta({ description: "Role of the account." }),
            name: readableText(100).optional().meta({ description: "Display name, which the person can change." }),
          }),
        )
        .min(1)
        .max(maxInvitations)
        .meta({ description: "Whom to invite." }),
      again: z.boolean().default(false).meta({ description: "Whether those whose link still works get a new one." }),
    }),
    maxBodyBytes: 320 * KiB,
    reply: z.strictObject({
      results: z.array(z.strictObject({ email: z.string(), outcome: z.enum(inviteOutcomes), invitation: invitation.nullable() })),
      message: z.string(),
    }),
  }),
  revokeInvitation: endpoint("DELETE /admin/invitations/:id", {
    ...accounts,
    ...audited("invitation.revoke"),
    summary: "Revoke an invitation: its link no longer works",
    risk: "destroy",
    reply: z.strictObject({ invitation }),
  }),
};
