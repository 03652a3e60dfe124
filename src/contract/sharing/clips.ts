import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { id, message, page, readableText, timestamp } from "../fields.ts";
import { clipStatuses } from "../states/index.ts";
import { cutLimit } from "./cut-limit.ts";

const owner = { access: ["game_owner"], extension: true } as const;

/** The longest video in ms that a position can be in: a day. */
const longestMs = 86_400_000;
const position = () => z.int().min(0).max(longestMs);

export const clip = z
  .strictObject({
    id: id(),
    slotId: id(),
    playtestId: id(),
    gameId: id(),
    name: z.string(),
    atMs: position().meta({ description: "Where the clip begins in the video, in milliseconds." }),
    endMs: position().meta({ description: "Where it ends, in milliseconds." }),
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
  listClips: endpoint("GET /slots/:id/clips", {
    ...owner,
    summary: "List the clips of a slot, the newest first",
    query: z.object(page),
    list: true,
    reply: z.strictObject({ clips: z.array(clip) }),
  }),
  getClip: endpoint("GET /clips/:id", { ...owner, summary: "Show a clip with a link to download it", reply }),
  deleteClip: endpoint("DELETE /clips/:id", { ...owner, summary: "Delete a clip", risk: "destroy", reply: message() }),
};
