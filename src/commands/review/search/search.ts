import type { Data } from "../../../api/client.ts";
import type { ListRange } from "../../../cli/context.ts";
import { arg, type Context, col, define, flag, type ItemOf, viewOf } from "../../../cli/define.ts";
import { idNamed, playtestNamed } from "../../../cli/names.ts";
import { searchSources } from "../../../contract/search/sources.ts";
import { positionText } from "../../../contract/text/position.ts";
import { fold, plural } from "../../../io/text.ts";
import { isInteractive } from "../../shared/several.ts";

type Result = Data<"search">["results"][number];

const nothingFound =
  "Nothing was found. All words of a search must stand near each other, and each must begin a word of the text or be a form of one.";

const position = ({ atMs }: Result) => (atMs === null ? "" : positionText(atMs));
const matching = ({ lines }: Result) => lines.filter(({ matches }) => matches.length > 0).map(({ text }) => text);

const resultsView = viewOf<ItemOf<"search">>(
  [
    "slot:slotId",
    col("at", (item) => position(item as unknown as Result)),
    "source",
    "game:game.name",
    "playtester:playtester.displayName",
    col("text", (item) => matching(item as unknown as Result).join(" ")),
  ],
  { empty: nothingFound },
);

const sources = {
  transcript: "transcript",
  takeaway: "key takeaway",
  notes: "notes of the playtester",
  moment: "your note",
  finding: "finding",
  game: "name of a game",
  playtest: "ref of a playtest",
  playtester: "name of a playtester",
};

/** How to see the place that was found. */
function opening({ source, slotId, playtestId, findingId, game, atMs }: Result): string {
  if (source === "game") return `playtest games show ${game.id}`;
  if (source === "playtest") return `playtest playtests show ${playtestId}`;
  if (slotId === null) return `playtest findings show ${findingId}`;
  return atMs === null
    ? `playtest review show ${slotId}`
    : `mpv --start=${positionText(atMs)} "$(playtest review url ${slotId})"`;
}

/** A result for a person: where it is, the lines with `>` before those that match, and the command that opens it. */
function block(result: Result, width: number): string {
  const { source, game, playtester, lines } = result;
  const head = [position(result), game.name, playtester?.displayName, sources[source]].filter((part) => part).join(", ");
  const body = lines.flatMap(({ text, matches }) =>
    fold(text, width - 4).map((part, index) => `${matches.length > 0 && index === 0 ? "  > " : "    "}${part}`),
  );
  return [head, ...body, `    ${opening(result)}`].join("\n");
}

async function readable(ctx: Context, query: Record<string, string>, range: ListRange) {
  const results: Result[] = [];
  let hasMore = false;
  for await (const { items, meta } of ctx.pages("search", { query: query as { q: string } }, range)) {
    results.push(...(items as Result[]));
    hasMore = meta.hasMore === true;
  }
  if (results.length === 0) ctx.out.note(nothingFound);
  if (results.length === 0) return undefined;
  const text = results.map((result) => block(result, ctx.io.columns)).join("\n\n");
  if (hasMore) ctx.out.note(`Showing ${plural(results.length, "result")}. Use --all or --limit N to list more.`);
  return ctx.text(text, { results });
}

export const search = define({
  name: "search",
  summary: "Search what was said and written about your games, and names",
  description:
    "Searches the transcripts and key takeaways of your videos, the notes of their playtesters, what you noted at moments, your findings, and the names of games, " +
    "playtests and playtesters; names come first, then the newest text. All words must stand near each other, in any case and with or without accents. Each also finds its other forms, words that begin " +
    "with it, and where there are none, words with one letter different. Words in quotation marks must follow each other as they are.",
  args: { words: { ...arg.text("What to look for"), field: "q" } },
  flags: {
    game: flag.text("Only in videos of this game: id or name", { value: "GAME" }),
    playtest: flag.text("Only in videos of this playtest", { value: "PLAYTEST" }),
    kind: flag.choice(searchSources, "Only in texts from this source, or in these names"),
  },
  operation: "search",
  list: true,
  examples: [
    'playtest review search "can\'t find the door"',
    "playtest review search '\"the door\" key' --game GAME --kind transcript",
    "playtest review search tutorial --all --csv",
  ],
  async run({ args, flags, range }, ctx) {
    const { game, playtest, kind } = flags;
    const query = {
      q: args.words,
      ...(game !== undefined && { game: await idNamed(ctx, "listGames", game) }),
      ...(playtest !== undefined && { playtest: await playtestNamed(ctx, playtest) }),
      ...(kind && { kind }),
    };
    return isInteractive(ctx) ? readable(ctx, query, range) : ctx.list("search", { query }, range, resultsView);
  },
});
