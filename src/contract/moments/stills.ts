import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { id, message } from "../fields.ts";
import { cutLimit } from "../sharing/cut-limit.ts";
import { clipStatuses } from "../states/index.ts";

const owner = { access: ["game_owner"], extension: true } as const;

const file = {
  status: z.enum(clipStatuses).meta({ description: "`pending`: being cut. `failed`: could not be cut." }),
  limit: cutLimit(),
  downloadUrl: z
    .string()
    .nullable()
    .meta({ description: "Signed link to the image, a JPEG file, valid for one hour; null until it is ready." }),
  thumbnailUrl: z
    .string()
    .nullable()
    .meta({ description: "Signed link to a small copy of the image, for lists; null until it is ready." }),
};

/** The still image of a moment, as the moment shows it. */
export const momentStill = z.strictObject(file);

export const still = z
  .strictObject({
    momentId: id(),
    slotId: id(),
    atMs: z.int().min(0).meta({ description: "Position in the video, in milliseconds." }),
    size: z.int().nullable().meta({ description: "Size in bytes; null until it is ready." }),
    ...file,
  })
  .meta({ id: "Still" });

const reply = z.strictObject({ still });

export const stills = {
  putStill: endpoint("PUT /moments/:id/still", {
    ...owner,
    summary: "Take a still image of the video at a moment",
    errors: ["NOT_CONFIGURED"],
    reply,
  }),
  getStill: endpoint("GET /moments/:id/still", {
    ...owner,
    summary: "Show the still image of a moment with a link to download it",
    reply,
  }),
  deleteStill: endpoint("DELETE /moments/:id/still", {
    ...owner,
    summary: "Delete the still image of a moment",
    risk: "destroy",
    reply: message(),
  }),
};
