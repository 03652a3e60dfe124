import type { Context, ListRange } from "../../../cli/context.ts";
import { arg, define, flag, type Outcome } from "../../../cli/define.ts";
import type { Operation } from "../../../contract/index.ts";
import { CliError, exitCodes, isAbsent } from "../../../errors.ts";
import { hintToPush, inOrder, lacksNotes, localNotes, matches, type NoteFilter } from "../../shared/notes/local.ts";
import { described, momentsView } from "./view.ts";

type Listing = Extract<Operation, "listSlotMoments" | "listPlaytestMoments" | "listGameMoments">;
const listings: readonly Listing[] = ["listSlotMoments", "listPlaytestMoments", "listGameMoments"];

/** The list that the id belongs to: an id alone does not say whether it is of a slot, a playtest or a game. Undefined: the server has no notes. */
async function listingOf(ctx: Context, id: string): Promise<Listing | undefined> {
  for (const operation of listings.slice(0, -1)) {
    try {
      await ctx.api()[operation]({ params: { id }, query: { limit: 1 } });
      return operation;
    } catch (error) {
      if (lacksNotes(error)) return undefined;
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
    }
  }
  return "listGameMoments";
}

/** Throws if the id is of no slot, playtest or game, as a server with notes does. */
async function requireKnown(ctx: Context, id: string): Promise<void> {
  const params = { id };
  const tries = [() => ctx.api().getSlot({ params }), () => ctx.api().getPlaytest({ params })];
  for (const find of tries) {
    try {
      return void (await find());
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  await ctx.api().getGame({ params });
}

type Pages = Extract<Outcome, { kind: "list" }>["pages"];

/** The notes on this computer, then those of the server. */
async function* withLocal(local: readonly object[], pages: Pages | undefined) {
  const data = { moments: local };
  if (local.length > 0 || !pages) yield { key: "moments", items: local, data, meta: { cursor: null, hasMore: false } };
  if (pages) yield* pages;
}

function serverPages(ctx: Context, operation: Listing, of: string, filter: NoteFilter, range: ListRange) {
  const { severity, ...rest } = filter;
  const given = { ...rest, ...(severity && { severity: String(severity) }) };
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return (ctx.list(operation, { params: { id: of }, query }, range) as Extract<Outcome, { kind: "list" }>).pages;
}

export const list = define({
  name: "notes list",
  aliases: ["notes"],
  summary: "List the notes on a video, on all videos of a playtest, or on all of a game",
  description: "Notes that are only on this computer come first and say so.",
  args: { of: arg.id("Id of a slot, playtest or game") },
  flags: {
    kind: described.kind,
    severity: described.severity,
    tag: flag.text("Only with this tag", { value: "TAG" }),
    build: flag.text("Only in videos of this build", { value: "BUILD" }),
    text: flag.text("Only with this text, in any case"),
  },
  operation: [...listings],
  list: true,
  examples: [
    "playtest review notes list SLOT",
    "playtest review notes list GAME --tag onboarding --all",
    "playtest review notes list PLAYTEST --kind bug --severity 4 --csv",
  ],
  async run({ args, flags, range }, ctx) {
    const operation = await listingOf(ctx, args.of);
    const all = localNotes(ctx).read();
    const local = inOrder(
      args.of,
      all.map(({ moment }) => moment).filter((moment) => matches(args.of, flags, moment)),
    );
    if (!operation && local.length === 0) await requireKnown(ctx, args.of);
    if (local.length > 0) hintToPush(ctx, local.length);
    const pages = operation && serverPages(ctx, operation, args.of, flags, range);
    return { kind: "list", pages: withLocal(local, pages), view: momentsView(new Set(local.map(({ id }) => id))) };
  },
});
