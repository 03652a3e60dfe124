import { arg, define } from "../../cli/define.ts";
import { gameView } from "./view.ts";

const change = (name: string, operation: "suspendGame" | "unsuspendGame", summary: string) =>
  define({
    name: `games ${name}`,
    summary,
    operation,
    args: { game: arg.id("Game id") },
    examples: [`playtest admin games ${name} 0190a1b2-…`],
    run: async ({ args }, ctx) => ctx.item(await ctx.api()[operation]({ params: { id: args.game } }), gameView),
  });

export const suspendGame = change("suspend", "suspendGame", "Suspend a game: hide its open slots; claimed slots continue");
export const unsuspendGame = change("unsuspend", "unsuspendGame", "Unsuspend a game: show its open slots again");
