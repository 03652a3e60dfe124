import * as z from "zod";
import { extension } from "../fields.ts";
import { cutLimits } from "../states/index.ts";

/** The field of a clip or image that could not be cut. */
export const cutLimit = () =>
  extension(
    z.enum(cutLimits).nullable().meta({
      description:
        "The limit of the server because of which it failed: memory, time, the size of the video's `picture`, or the `size` of the file. Null otherwise.",
    }),
  );
