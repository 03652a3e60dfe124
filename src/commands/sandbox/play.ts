import { type Arg, type Context, define, detail, flag, type ItemOf, viewOf } from "../../cli/define.ts";
import { uuid } from "../../io/text.ts";

const view = viewOf<ItemOf<"playSlot">>([
  "slot:id",
  "game:game.name",
  "status",
  "playtester:playtester.displayName",
  detail("video:submission.videoFileSize"),
  detail("submitted:submission.createdAt"),
]);

const openSlot: Arg<string> = {
  summary: "Slot id",
  id: { pick: "listSubmissions", label: (item) => (item.game as { name: string }).name, query: { status: "open" } },
};

const isId = (text: string) => uuid.test(text) || /^[0-9a-f]{8}$/i.test(text);

const testerOf = (ctx: Context, text: string) => (isId(text) ? { testerId: ctx.resolveId(text) } : { tester: text });

export const play = define({
  name: "play",
  summary: "Let a simulated playtester claim a slot, play it and submit a video",
  description:
    "If the order selects playtesters manually, the playtester applies and is approved. The video is a short sample; accept or reject it as usual. " +
    "A slot at a fixed time is only claimed before that time: move the clock of the sandbox to it, then run this again.",
  operation: "playSlot",
  args: { slot: openSlot },
  flags: {
    tester: flag.text("Playtester to use: id, email address or name (default: one who may take the slot)", { value: "TESTER" }),
  },
  examples: [
    "playtest sandbox play SLOT",
    "playtest sandbox play SLOT --tester 4f6a1b2c",
    "playtest sandbox play SLOT --tester pim@example.com",
  ],
  async run({ args, flags }, ctx) {
    const body = flags.tester === undefined ? {} : testerOf(ctx, flags.tester);
    return ctx.item(await ctx.api().playSlot({ params: { id: args.slot }, body }), view);
  },
});
