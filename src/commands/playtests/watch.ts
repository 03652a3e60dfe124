import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { parseUntil } from "./progress.ts";
import { countsText, playtestView } from "./view.ts";

type Playtest = Data<"getPlaytest">["playtest"];

async function printProgress(ctx: Context, playtest: Playtest) {
  const text = `${new Date(ctx.now()).toISOString()}  ${playtest.status ?? ""}  ${countsText(playtest.slots)}`.trimEnd();
  await ctx.out.each(playtest, text, playtestView);
}

export const watch = define({
  name: "watch",
  summary: "Print a line whenever a playtest changes, until it ends",
  args: { playtest: arg.playtest() },
  flags: { interval: flag.duration("Time between checks (default 15s)", { min: 1 }) },
  operation: "getPlaytest",
  examples: ["playtest playtests watch PLAYTEST", "playtest playtests watch PLAYTEST --ndjson"],
  async run({ args, flags }, ctx) {
    const ended = parseUntil("ended");
    const check = withReconnect(ctx, () => ctx.api().getPlaytest({ params: { id: args.playtest } }));
    for (let last = ""; ; ) {
      const playtest = (await check())?.playtest;
      const now = playtest ? `${playtest.status} ${countsText(playtest.slots)}` : last;
      if (playtest && now !== last) await printProgress(ctx, playtest);
      last = now;
      if (playtest && ended(playtest)) return undefined;
      await ctx.sleep((flags.interval ?? 15) * 1000, ctx.signal);
    }
  },
});
