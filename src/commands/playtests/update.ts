import { arg, define } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { playtestView } from "./view.ts";

export const update = define({
  name: "update",
  summary: "Change the notes of an active playtest",
  args: { playtest: arg.playtest() },
  operation: "updatePlaytest",
  body: "updatePlaytest",
  examples: ['playtest playtests update PLAYTEST --notes-for-testers "Please turn the sound on."'],
  async run({ args, body }, ctx) {
    if (Object.keys(body).length === 0) throw usage("--notes-for-testers is required.");
    return ctx.item(await ctx.api().updatePlaytest({ params: { id: args.playtest }, body }), playtestView);
  },
});
