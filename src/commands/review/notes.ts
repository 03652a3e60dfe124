import type { Data } from "../../api/client.ts";
import { arg, type Context, col, define, detail, flag } from "../../cli/define.ts";
import type { Operation } from "../../contract/index.ts";
import { momentKinds } from "../../contract/moments/kinds.ts";
import { parsePosition, positionText } from "../../contract/text/position.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";
import type { View } from "../../io/cells.ts";
import { slotArg } from "./queue.ts";

type Moment = Data<"createMoment">["moment"];

const at = (item: object) => {
  const { atMs, endMs } = item as Moment;
  return endMs === null || endMs === undefined ? positionText(atMs) : `${positionText(atMs)}-${positionText(endMs)}`;
};
const tagsOf = (item: object) => (item as Moment).tags.join(", ");

const momentsView: View = {
  columns: [
    col("id", "id", "id"),
    col("slot", "slotId", "id"),
    col("at", at),
    col("kind", "kind"),
    col("severity", "severity"),
    col("text", "text"),
    col("tags", tagsOf),
    col("noted", "createdAt", "ago"),
  ],
  empty: "No notes. Add one with `playtest review note SLOT 12:41 TEXT`.",
};

const momentView: View = {
  columns: [
    detail("id", "id", "id"),
    detail("slot", "slotId", "id"),
    detail("at", at),
    detail("kind", "kind"),
    detail("severity", "severity"),
    detail("text", "text"),
    detail("tags", tagsOf),
  ],
};

function position(text: string): number {
  const ms = parsePosition(text);
  if (ms === undefined)
    throw usage(`TIME: ${JSON.stringify(text)} is not a position in a video.`, "Examples: 12:41, 1:02:41, 90s, 12:30-12:55.");
  return ms;
}

/** `12:41` or `12:30-12:55`. */
function span(text: string): { atMs: number; endMs?: number } {
  const [from = "", to, ...rest] = text.split("-");
  const atMs = position(rest.length > 0 ? text : from);
  if (to === undefined) return { atMs };
  const endMs = position(to);
  if (endMs <= atMs) throw usage("TIME: the end must be after the start. Nothing was noted.");
  return { atMs, endMs };
}

const described = {
  kind: flag.choice(momentKinds, "Kind of the observation"),
  severity: flag.integer("How bad it is, from minor to what blocks the player", { min: 1, max: 4 }),
  tag: flag.list("Tag: lowercase words joined by hyphens", { value: "TAG" }),
};

export const note = define({
  name: "note",
  summary: "Note what happens at a moment of a video",
  description:
    "A note has a position in the video, a kind, a severity and tags, so that notes of many videos can be listed and compared: see `playtest review notes list`. " +
    "Playtesters do not see notes.",
  args: {
    slot: slotArg(),
    time: arg.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55"),
    text: arg.text("What you observed"),
  },
  flags: described,
  operation: "createMoment",
  examples: [
    'playtest review note SLOT 12:41 "lost in the tutorial" --kind confusion --tag onboarding',
    'playtest review note SLOT 3:05-3:40 "falls through the floor" --kind bug --severity 4',
  ],
  async run({ args, flags }, ctx) {
    const { kind, severity, tag: tags } = flags;
    const body = { ...span(args.time), text: args.text, tags, ...(kind && { kind }), ...(severity && { severity }) };
    return ctx.item(await ctx.api().createMoment({ params: { id: args.slot }, body }), momentView);
  },
});

type Listing = Extract<Operation, "listSlotMoments" | "listPlaytestMoments" | "listGameMoments">;
const listings: readonly Listing[] = ["listSlotMoments", "listPlaytestMoments", "listGameMoments"];

/** The list that the id belongs to: an id alone does not say whether it is of a slot, a playtest or a game. */
async function listingOf(ctx: Context, id: string): Promise<Listing> {
  for (const operation of listings.slice(0, -1)) {
    try {
      await ctx.api()[operation]({ params: { id }, query: { limit: 1 } });
      return operation;
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
    }
  }
  return "listGameMoments";
}

export const notes = define({
  name: "notes list",
  aliases: ["notes"],
  summary: "List the notes on a video, on all videos of a playtest, or on all of a game",
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
    const { kind, severity, tag, build, text } = flags;
    const query = {
      ...(kind && { kind }),
      ...(severity && { severity: String(severity) }),
      ...(tag && { tag }),
      ...(build && { build }),
      ...(text && { text }),
    };
    return ctx.list(await listingOf(ctx, args.of), { params: { id: args.of }, query }, range, momentsView);
  },
});

export const notesEdit = define({
  name: "notes edit",
  summary: "Change a note",
  args: { note: arg.id("Id of the note") },
  flags: {
    at: flag.text("Position in the video, such as 12:41, or a span, such as 12:30-12:55", { value: "TIME" }),
    text: flag.text("What you observed"),
    ...described,
  },
  operation: "updateMoment",
  examples: ["playtest review notes edit NOTE --severity 4", "playtest review notes edit NOTE --tag onboarding --tag menu"],
  async run({ args, flags }, ctx) {
    const { at: time, text, kind, severity, tag: tags } = flags;
    const body = {
      ...(time !== undefined && { endMs: null, ...span(time) }),
      ...(text !== undefined && { text }),
      ...(kind && { kind }),
      ...(severity && { severity }),
      ...(tags.length > 0 && { tags }),
    };
    if (Object.keys(body).length === 0)
      throw usage("Nothing to change was given. Nothing was changed.", "Pass --text, for example.");
    return ctx.item(await ctx.api().updateMoment({ params: { id: args.note }, body }), momentView);
  },
});

export const notesDelete = define({
  name: "notes delete",
  summary: "Delete a note",
  args: { note: arg.id("Id of the note") },
  operation: "deleteMoment",
  confirm: () => "Delete this note?",
  examples: ["playtest review notes delete NOTE --yes"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().deleteMoment({ params: { id: args.note } })),
});
