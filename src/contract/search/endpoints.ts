import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { extension, id, page, text } from "../fields.ts";
import { playtester, slotGame } from "../slots.ts";
import { searchSources } from "./sources.ts";

const position = () => z.int().min(0).nullable();
const offset = () => z.int().min(0);

const line = z.strictObject({
  atMs: position().meta({ description: "Position in the video, in milliseconds; null for a text about all of it." }),
  text: z.string(),
  matches: z
    .array(z.strictObject({ start: offset(), end: offset() }))
    .meta({ description: "The parts of the text that match, counted in UTF-16 code units; `end` is behind the last one." }),
});

export const searchResult = z
  .strictObject({
    source: z.enum(searchSources).meta({
      description:
        "`transcript`: what is said in the video. `takeaway`: a key takeaway. `notes`: what the playtester wrote. `moment`: what was noted at a moment of the video. `finding`: a finding of the game. `game`, `playtest`, `playtester`: the name of a game, the `ref` of a playtest, the name of a playtester.",
    }),
    slotId: id().nullable().meta({
      description:
        "The slot of the video; for a playtester that of their newest video in the game; null for a finding, a game and a playtest.",
    }),
    playtestId: id().nullable().meta({ description: "Its playtest; null for a finding and a game." }),
    findingId: extension(id().nullable().meta({ description: "The finding whose text this is; null for other sources." })),
    momentId: id().nullable().meta({ description: "The moment whose text this is; null for other sources." }),
    game: slotGame,
    playtester: playtester.nullable(),
    atMs: position().meta({
      description: "Position of the first match in the video, in milliseconds; null for a text about all of it.",
    }),
    lines: z.array(line).meta({ description: "The lines with matches, and those around them." }),
  })
  .meta({ id: "SearchResult" });

export const search = {
  search: endpoint("GET /search", {
    access: ["game_owner"],
    extension: true,
    summary: "Search what was said and written about your games: names first, then the newest text",
    query: z.object({
      ...page,
      q: text(200, 1).meta({
        description:
          "Words that all stand near each other, in any case and with or without accents. Each also finds its other forms and what begins with it; if there is none, words with one letter different. Words in quotation marks must follow each other as they are. Other characters mean nothing.",
      }),
      game: id().optional().meta({ description: "Only in videos of this game." }),
      playtest: id().optional().meta({ description: "Only in videos of this playtest." }),
      kind: z.enum(searchSources).optional().meta({ description: "Only in texts from this source, or in names of this kind." }),
    }),
    list: true,
    reply: z.strictObject({ results: z.array(searchResult) }),
  }),
};
