import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { extension, id, message, page, text, timestamp } from "../fields.ts";
import { shareKinds, shareSeconds, shareStates } from "./kinds.ts";

const owner = { access: ["game_owner"], extension: true } as const;

export const share = z
  .strictObject({
    id: id(),
    kind: z.enum(shareKinds).meta({ description: "What is shared." }),
    playtestId: id(),
    slotId: id()
      .nullable()
      .meta({ description: "Slot whose video is shared, or a clip of it; null for the videos of a playtest." }),
    clipId: extension(id().nullable().meta({ description: "Clip that is shared; null for whole videos." })),
    gameName: z.string(),
    url: z.string().meta({ description: "Link to the public page." }),
    state: z.enum(shareStates).meta({
      description: "`expired`: its time is over. `ended`: there is no video to show anymore.",
    }),
    hasPassword: z.boolean(),
    withName: z.boolean().meta({ description: "Whether the page names the playtesters." }),
    withNotes: z.boolean().meta({ description: "Whether the page shows all notes on the videos." }),
    noteIds: z.array(id()).meta({ description: "Notes that the page shows, where it does not show all." }),
    views: z.int().meta({ description: "How often the page was opened; each browser counts once per hour." }),
    lastViewedAt: timestamp().nullable(),
    expiresAt: timestamp(),
    createdAt: timestamp(),
  })
  .meta({ id: "Share" });

const body = () =>
  z
    .strictObject({
      validForSeconds: z
        .int()
        .min(shareSeconds.least)
        .max(shareSeconds.most)
        .default(shareSeconds.usual)
        .meta({ description: "How long the link works, in seconds." }),
      password: text(200, 8).optional().meta({ description: "Password that the page asks for." }),
      withName: z.boolean().default(false).meta({ description: "Name the playtesters on the page." }),
      withNotes: z.boolean().default(false).meta({ description: "Show all notes on the videos." }),
      noteIds: z
        .array(id())
        .max(200)
        .refine((all) => new Set(all).size === all.length, "must not hold the same note twice")
        .default([])
        .meta({ description: "Show only these notes." }),
    })
    .prefault({});

const reply = z.strictObject({ share });

export const shares = {
  createSlotShare: endpoint("POST /slots/:id/shares", {
    ...owner,
    ...audited("slot.share", "validForSeconds", "withName", "withNotes"),
    summary: "Share the video of a slot by a public link",
    body: body(),
    status: 201,
    secretReply: true,
    reply,
  }),
  createPlaytestShare: endpoint("POST /playtests/:id/shares", {
    ...owner,
    ...audited("playtest.share", "validForSeconds", "withName", "withNotes"),
    summary: "Share the videos of a playtest by a public link",
    body: body(),
    status: 201,
    secretReply: true,
    reply,
  }),
  createClipShare: endpoint("POST /clips/:id/shares", {
    ...owner,
    ...audited("clip.share", "validForSeconds", "withName", "withNotes"),
    summary: "Share a clip by a public link",
    body: body(),
    status: 201,
    secretReply: true,
    reply,
  }),
  listShares: endpoint("GET /shares", {
    ...owner,
    summary: "List your shares, the newest first",
    query: z.object({
      ...page,
      playtest: id().optional().meta({ description: "Only of this playtest, its slots and their clips." }),
      slot: id().optional().meta({ description: "Only of this slot and its clips." }),
    }),
    list: true,
    reply: z.strictObject({ shares: z.array(share) }),
  }),
  deleteShare: endpoint("DELETE /shares/:id", {
    ...owner,
    ...audited("share.revoke"),
    summary: "End a share at once",
    risk: "destroy",
    reply: message(),
  }),
};
