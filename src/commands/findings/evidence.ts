import { arg, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { findingNamed, findingsWith } from "../shared/findings/source.ts";
import { span } from "../shared/video/position.ts";
import { findingArg, findingView, ofGame } from "./view.ts";

export const add = define({
  name: "add",
  summary: "Add a note, or a place in a video, to a finding",
  description:
    "A note belongs to at most one finding. A quote must stand in the transcript, word for word, within one cue of that time: no report shows " +
    "what nobody said.",
  args: {
    finding: findingArg,
    where: { ...arg.id("Id of a note; or of a slot, with a time"), field: ["momentId", "slotId"] },
    time: { ...arg.optional("Position in the video, such as 12:41, or a span, such as 12:30-12:55"), field: ["fromMs", "toMs"] },
  },
  flags: { quote: flag.text("What is said there"), ...ofGame },
  operation: "addEvidence",
  examples: [
    "playtest findings add 7 NOTE",
    "playtest findings add 7 SLOT 12:41",
    'playtest findings add 7 SLOT 12:30-12:55 --quote "where is the door"',
  ],
  async run({ args, flags }, ctx) {
    const { where, time } = args;
    if (time === undefined && flags.quote !== undefined)
      throw usage(
        "--quote needs a slot and a time. Nothing was added.",
        "Example: playtest findings add 7 SLOT 12:41 --quote TEXT",
      );
    const id = await findingNamed(ctx, args.finding, flags.game);
    if (time === undefined) return ctx.item(await findingsWith(ctx, id).add(id, { momentId: where }), findingView);
    const { atMs: fromMs, endMs: toMs } = span(time, "Nothing was added.");
    const { quote } = flags;
    const place = { slotId: where, fromMs, ...(toMs !== undefined && { toMs }), ...(quote !== undefined && { quote }) };
    return ctx.item(await findingsWith(ctx, id).add(id, place), findingView);
  },
});

export const drop = define({
  name: "drop",
  summary: "Remove evidence from a finding; the note itself stays",
  args: { finding: findingArg, evidence: arg.id("Id of the evidence, as `playtest findings show` lists it") },
  flags: ofGame,
  operation: "removeEvidence",
  examples: ["playtest findings drop 7 EVIDENCE"],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    return ctx.item(await findingsWith(ctx, id).removeEvidence(id, args.evidence), findingView);
  },
});

export const merge = define({
  name: "merge",
  summary: "Move all evidence of another finding to this one",
  description: "The other finding ends. `playtest findings undo` puts it back.",
  args: { finding: findingArg, other: { ...arg.id("The other finding, which ends"), field: "findingId" } },
  flags: ofGame,
  operation: "mergeFinding",
  examples: ["playtest findings merge 7 9"],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    const other = await findingNamed(ctx, args.other, flags.game);
    return ctx.item(await findingsWith(ctx, id).merge(id, other), findingView);
  },
});

export const split = define({
  name: "split",
  summary: "Move some evidence to a new finding",
  args: {
    finding: findingArg,
    evidence: { ...arg.ids("Ids of evidence, as `playtest findings show` lists it"), field: "evidenceIds" },
  },
  flags: { title: { ...flag.text("Title of the new finding"), required: true }, ...ofGame },
  operation: "splitFinding",
  examples: ['playtest findings split 7 EVIDENCE --title "The cellar door sticks"'],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    return ctx.item(await findingsWith(ctx, id).split(id, args.evidence, flags.title!), findingView);
  },
});

export const undo = define({
  name: "undo",
  summary: "Undo the last merge or split of a finding",
  description:
    "A finding that was merged comes back with what it brought, as far as that is still there. What was split off goes back, with all that it got since.",
  args: { finding: findingArg },
  flags: ofGame,
  operation: "undoFinding",
  examples: ["playtest findings undo 7"],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    return ctx.item(await findingsWith(ctx, id).undo(id), findingView);
  },
});
