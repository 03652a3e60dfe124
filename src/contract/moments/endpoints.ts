import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { extension, id, message, page, readableText, text, timestamp } from "../fields.ts";
import { playedBuild } from "../games.ts";
import { momentKinds } from "./kinds.ts";
import { momentStill } from "./stills.ts";

const owner = { access: ["game_owner"], extension: true } as const;

/** The longest video in ms that a position can be in: a day. */
const longestMs = 86_400_000;

export const position = () => z.int().min(0).max(longestMs);

/** Short and lowercase, so that the same tag is written the same way everywhere. */
export const tag = () =>
  z
    .string()
    .max(50)
    .regex(/^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$/u, "must be lowercase words joined by hyphens");

export const tags = () =>
  z
    .array(tag())
    .max(20)
    .refine((all) => new Set(all).size === all.length, "must not hold the same tag twice")
    .meta({ description: "Tags: lowercase words joined by hyphens." });

export const severity = () => z.int().min(1).max(4);

const fields = {
  atMs: position().meta({ description: "Position in the video, in milliseconds." }),
  endMs: position().nullable().meta({ description: "End of the moment, in milliseconds; null for a single point." }),
  kind: z.enum(momentKinds).meta({ description: "Kind of the observation." }),
  severity: severity().nullable().meta({ description: "How bad it is, from minor to what blocks the player." }),
  text: readableText(2000).meta({ description: "What was observed." }),
  tags: tags(),
};

export const moment = z
  .strictObject({
    id: id(),
    slotId: id(),
    playtestId: id(),
    gameId: id(),
    buildId: id().nullable().meta({ description: playedBuild }),
    ...fields,
    author: z.strictObject({ id: id(), displayName: z.string() }),
    still: extension(momentStill.nullable().meta({ description: "Still image of the video at the moment; null without one." })),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Moment" });

/** A severity in a query string. */
export const onlySeverity = () =>
  z
    .string()
    .regex(/^[1-4]$/, "must be a whole number from 1 to 4")
    .transform(Number)
    .optional()
    .meta({ description: "Only this severity.", type: "integer", minimum: 1, maximum: 4 });

const listQuery = () =>
  z.object({
    ...page,
    kind: z.enum(momentKinds).optional().meta({ description: "Only this kind." }),
    severity: onlySeverity(),
    tag: tag().optional().meta({ description: "Only with this tag." }),
    build: id().optional().meta({ description: "Only in videos of this build." }),
    text: text(200, 1).optional().meta({ description: "Only with this text, in any case." }),
  });

export const moments = {
  createMoment: endpoint("POST /slots/:id/moments", {
    ...owner,
    summary: "Note a moment in the video of a slot",
    body: z.strictObject({
      ...fields,
      endMs: fields.endMs.optional().meta(fields.endMs.meta()!),
      kind: fields.kind.default("note").meta(fields.kind.meta()!),
      severity: fields.severity.optional().meta(fields.severity.meta()!),
      tags: tags().default([]),
    }),
    status: 201,
    reply: z.strictObject({ moment }),
  }),
  listSlotMoments: endpoint("GET /slots/:id/moments", {
    ...owner,
    summary: "List the moments of a slot, in the order of the video",
    query: listQuery(),
    list: true,
    reply: z.strictObject({ moments: z.array(moment) }),
  }),
  listPlaytestMoments: endpoint("GET /playtests/:id/moments", {
    ...owner,
    summary: "List the moments of a playtest, the newest first",
    query: listQuery(),
    list: true,
    reply: z.strictObject({ moments: z.array(moment) }),
  }),
  listGameMoments: endpoint("GET /games/:id/moments", {
    ...owner,
    summary: "List the moments of a game, the newest first",
    query: listQuery(),
    list: true,
    reply: z.strictObject({ moments: z.array(moment) }),
  }),
  updateMoment: endpoint("PATCH /moments/:id", {
    ...owner,
    summary: "Change a moment",
    body: z.strictObject({
      atMs: fields.atMs.optional().meta(fields.atMs.meta()!),
      endMs: fields.endMs.optional().meta(fields.endMs.meta()!),
      kind: fields.kind.optional().meta(fields.kind.meta()!),
      severity: fields.severity.optional().meta(fields.severity.meta()!),
      text: fields.text.optional().meta(fields.text.meta()!),
      tags: fields.tags.optional().meta(fields.tags.meta()!),
    }),
    reply: z.strictObject({ moment }),
  }),
  deleteMoment: endpoint("DELETE /moments/:id", {
    ...owner,
    summary: "Delete a moment",
    risk: "destroy",
    reply: message(),
  }),
};
