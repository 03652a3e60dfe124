import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { id, queryInteger } from "../fields.ts";
import { highlightReasons } from "./kinds.ts";

const owner = { access: ["game_owner"], extension: true } as const;

const position = () => z.int().min(0);

const reply = z.strictObject({
  highlights: z
    .array(
      z
        .strictObject({
          slotId: id(),
          fromMs: position().meta({ description: "Where it begins in the video, in milliseconds." }),
          toMs: position().meta({ description: "Where it ends." }),
          score: z.number().meta({ description: "How much there is; only to compare." }),
          reasons: z.array(
            z.strictObject({
              kind: z.enum(highlightReasons),
              text: z.string().meta({ description: "What was counted, such as `picture frozen for 40 s`." }),
            }),
          ),
        })
        .meta({ id: "Highlight" }),
    )
    .meta({ description: "The best first." }),
});

const query = {
  minutes: queryInteger(1, 600).default(30).meta({ description: "How long all of them may be together." }),
  perVideo: queryInteger(1, 50).default(3).meta({ description: "How many of one video." }),
};

export const highlights = {
  listPlaytestHighlights: endpoint("GET /playtests/:id/highlights", {
    ...owner,
    summary: "Show where to look first in the videos of a playtest",
    query: z.object(query),
    reply,
  }),
  listGameHighlights: endpoint("GET /games/:id/highlights", {
    ...owner,
    summary: "Show where to look first in the videos of a game, the newest 200",
    query: z.object({ ...query, build: id().optional().meta({ description: "Only in videos of this build." }) }),
    reply,
  }),
};
