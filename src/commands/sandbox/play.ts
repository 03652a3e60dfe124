import { type Arg, col, define, detail, flag, type View } from "../../cli/define.ts";

const view: View = {
  columns: [
    col("slot", "id", "id"),
    col("game", "game.name"),
    col("status", "status", "status"),
    col("playtester", "playtester.displayName"),
    detail("video", "submission.videoFileSize", "bytes"),
    detail("submitted", "submission.createdAt", "ago"),
  ],
};

const openSlot: Arg<string> = {
  summary: "Slot id",
  id: { pick: "listSubmissions", label: (item) => (item.game as { name: string }).name, query: { status: "open" } },
};

export const play = define({
  name: "play",
  summary: "Let a simulated playtester claim a slot, play it and submit a video",
  description:
    "If the order selects playtesters manually, the playtester applies and is approved. The video is a short sample; accept or reject it as usual.",
  operation: "playSlot",
  args: { slot: openSlot },
  flags: { tester: flag.text("Playtester to use (default: one who may take the slot)", { value: "ID" }) },
  examples: ["playtest sandbox play SLOT", "playtest sandbox play SLOT --tester 4f6a1b2c"],
  async run({ args, flags }, ctx) {
    const body = flags.tester === undefined ? {} : { testerId: ctx.resolveId(flags.tester) };
    return ctx.item(await ctx.api().playSlot({ params: { id: args.slot }, body }), view);
  },
});
