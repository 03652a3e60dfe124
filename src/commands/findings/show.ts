import { define } from "../../cli/define.ts";
import { findingNamed, findingsWith } from "../shared/findings/source.ts";
import { findingArg, findingView, ofGame } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show a finding with its evidence",
  args: { finding: findingArg },
  flags: ofGame,
  operation: "getFinding",
  examples: ["playtest findings show 7", "playtest findings show FINDING --json"],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    return ctx.item(await findingsWith(ctx, id).get(id), findingView);
  },
});
