import * as z from "zod";
import { endpoint, KiB } from "../endpoint.ts";
import { extension, id, message, page, readableText, timestamp } from "../fields.ts";
import { clipStatuses } from "../states/index.ts";
import { cutLimit } from "./cut-limit.ts";
import { mostReelParts } from "./kinds.ts";

const owner = { access: ["game_owner"], extension: true } as const;

/** The longest video in ms that a position can be in: a day. */
const longestMs = 86_400_000;
const position = () => z.int().min(0).max(longestMs);

const part = z
  .strictObject({
    slotId: id(),
    atMs: position().meta({ description: "Where the part begins in its video, in milliseconds." }),
    endMs: position().meta({ description: "Where it ends, in milliseconds." }),
    title: z.string().meta({ description: "What its card says of it; empty where it says nothing." }),
    facts: z.string().meta({ description: "Whose video it is, such as `tester 4 of 20 · build 0.9.1 · 12:41`." }),
  })
  .meta({ id: "ReelPart" });

export const clip = z
  .strictObject({
    id: id(),
    slotId: id().meta({ description: "Slot of the video; that of the first part for a reel." }),
    playtestId: id(),
    gameId: id(),
    name: z.string(),
    parts: extension(z.array(part).nullable().meta({ description: "The parts of a reel, in its order; null for other clips." })),
    atMs: position().meta({ description: "Where the clip begins in the video, in milliseconds; 0 for a reel." }),
    endMs: position().meta({ description: "Where it ends, in milliseconds; for a reel, its length." }),
    status: z.enum(clipStatuses).meta({ description: "`pending`: being cut. `failed`: could not be cut." }),
    limit: cutLimit(),
    size: z.int().nullable().meta({ description: "Size in bytes; null until it is ready." }),
    downloadUrl: z
      .string()
      .nullable()
      .meta({ description: "Signed link to the clip, valid for one hour; null until it is ready." }),
    posterUrl: z
      .string()
      .nullable()
      .meta({ description: "Signed link to an image of the clip, a JPEG file, valid for one hour; null without one." }),
    thumbnailUrl: z.string().nullable().meta({ description: "Signed link to a small copy of that image, for lists." }),
    createdAt: timestamp(),
  })
  .meta({ id: "Clip" });

const reply = z.strictObject({ clip });

export const clips = {
  createClip: endpoint("POST /slots/:id/clips", {
    ...owner,
    summary: "Cut a clip out of the video of a slot",
    body: z.strictObject({
      atMs: position().meta({ description: "Where the clip begins in the video, in milliseconds." }),
      endMs: position().meta({ description: "Where it ends, in milliseconds." }),
      name: readableText(100).optional().meta({ description: "Name of the clip; default its position." }),
    }),
    status: 201,
    errors: ["NOT_CONFIGURED"],
    reply,
  }),
  createReel: endpoint("POST /games/:id/reels", {
    ...owner,
    summary: "Cut one video out of parts of several videos of a game, with a title card before each",
    maxBodyBytes: 96 * KiB,
    body: z.strictObject({
      name: readableText(100).optional().meta({ description: "Name of the reel; default how many parts it has." }),
      parts: z
        .array(
          z.strictObject({
            slotId: id().meta({ description: "Slot of the video." }),
            atMs: position().meta({ description: "Where the part begins in the video, in milliseconds." }),
            endMs: position().meta({ description: "Where it ends; beyond the end of the video it ends with it." }),
            title: readableText(200, 0)
              .default("")
              .meta({ description: "What the card before it says, above whose video it is." }),
          }),
        )
        .min(1)
        .max(mostReelParts)
        .meta({ description: "The parts in the order of the reel, at most 5 minutes each and 10 minutes together." }),
      captions: z.boolean().default(false).meta({ description: "Show what is said, where there is a transcript." }),
      withName: z.boolean().default(false).meta({ description: "Name the playtesters on the cards." }),
    }),
    status: 201,
    errors: ["NOT_CONFIGURED"],
    reply,
  }),
  listClips: endpoint("GET /slots/:id/clips", {
    ...owner,
    summary: "List the clips of a slot and the reels with a part of it, the newest first",
    query: z.object(page),
    list: true,
    reply: z.strictObject({ clips: z.array(clip) }),
  }),
  getClip: endpoint("GET /clips/:id", { ...owner, summary: "Show a clip with a link to download it", reply }),
  deleteClip: endpoint("DELETE /clips/:id", { ...owner, summary: "Delete a clip", risk: "destroy", reply: message() }),
};
