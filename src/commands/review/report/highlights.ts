import { arg, type Context, col, define, flag, prose, viewOf } from "../../../cli/define.ts";
import type { Data } from "../../../contract/index.ts";
import { positionText } from "../../../contract/text/position.ts";
import { CliError, exitCodes } from "../../../errors.ts";

type Highlight = Data<"listGameHighlights">["highlights"][number];

const view = viewOf<Highlight>(
  [
    "slot:slotId",
    col("at", ({ fromMs, toMs }: Highlight) => `${positionText(fromMs)}-${positionText(toMs)}`),
    "score",
    prose("reasons", ({ reasons }: Highlight) => reasons.map(({ text }) => text).join("; ")),
  ],
  { empty: "Nothing stands out. Notes and transcripts help: see `playtest help reviewing`." },
);

interface Query {
  minutes?: string;
  perVideo?: string;
}

/** An id alone does not say whether it is of a playtest or a game. */
async function highlightsOf(ctx: Context, id: string, query: Query, build: string | undefined): Promise<Highlight[]> {
  const ofGame = () =>
    ctx.api().listGameHighlights({ params: { id }, query: { ...query, ...(build !== undefined && { build }) } });
  if (build !== undefined) return (await ofGame()).highlights;
  try {
    return (await ctx.api().listPlaytestHighlights({ params: { id }, query })).highlights;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound || error.code === "NOT_OFFERED") throw error;
    return (await ofGame()).highlights;
  }
}

export const highlights = define({
  name: "highlights",
  summary: "Show where to look first in the videos of a playtest or game, with the reasons",
  description:
    "Counts notes, words of confusion and delight in transcripts, frozen pictures, silence and outbursts: `playtest help reviewing` has the formula.",
  args: { of: arg.id("Id of a playtest or game") },
  flags: {
    minutes: flag.integer("How long all of them may be together (default: 30)", { min: 1, max: 600 }),
    perVideo: flag.integer("How many of one video (default: 3)", { min: 1, max: 50 }),
    build: flag.text("Only in videos of this build of a game", { value: "BUILD" }),
  },
  operation: ["listPlaytestHighlights", "listGameHighlights"],
  examples: ["playtest review highlights PLAYTEST", "playtest review highlights GAME --minutes 60 --per-video 5 --csv"],
  async run({ args, flags: { minutes, perVideo, build } }, ctx) {
    const query = { ...(minutes && { minutes: String(minutes) }), ...(perVideo && { perVideo: String(perVideo) }) };
    return ctx.rows("highlights", await highlightsOf(ctx, args.of, query, build), view);
  },
});
