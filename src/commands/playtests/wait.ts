import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { gateFailed, stillPending } from "../../errors.ts";
import { ciOutputs } from "../../io/ci.ts";
import { duration } from "../../io/text.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { parseSlotGate, parseUntil, untilForms } from "./progress.ts";
import { countsText, playtestView } from "./view.ts";

type Playtest = Data<"getPlaytest">["playtest"];

export const wait = define({
  name: "wait",
  summary: "Wait until a playtest is as far as you want",
  description:
    "Ends with 0 when --until is reached, 8 when --for is over before that, 13 when a --fail-if is true at any look.\n" +
    "Slots that ended count as done.",
  args: { playtest: arg.playtest() },
  flags: {
    until: flag.text("What to wait for (default all-submitted)", { value: untilForms }),
    failIf: flag.list("Fail when slot counts meet this, as 'rejected>1'; may be repeated", { value: "CONDITION" }),
    for: flag.duration("Longest wait (default: as long as it takes)"),
    interval: flag.duration("Time between looks (default 15s)"),
  },
  operation: "getPlaytest",
  examples: [
    "playtest playtests wait PLAYTEST",
    "playtest playtests wait PLAYTEST --until 3-submitted --for 2d",
    "playtest playtests wait PLAYTEST --until all-reviewed --fail-if 'rejected>1' --for 5d",
  ],
  exits: [8, 13],
  async run({ args, flags }, ctx) {
    const reached = parseUntil(flags.until ?? "all-submitted");
    const gates = flags.failIf.map((text) => ({ text, fails: parseSlotGate(text).fails }));
    const pause = Math.max(1, flags.interval ?? 15) * 1000;
    const end = flags.for === undefined ? Number.POSITIVE_INFINITY : ctx.now() + flags.for * 1000;
    const progress = await ctx.progress();
    const look = withReconnect(ctx, () => ctx.api().getPlaytest({ params: { id: args.playtest } }));

    let seen: Playtest | undefined;

    /** The playtest once it is as far; undefined: not yet, or nobody answered. */
    function judge(playtest: Playtest): Playtest | undefined {
      seen = playtest;
      const failed = gates.find(({ fails }) => fails(playtest.slots));
      if (failed) throw gateFailed(`${failed.text}: ${described(playtest)}.`);
      if (reached(playtest)) return playtest;
      progress.update(described(playtest));
      return undefined;
    }

    async function watch(): Promise<Playtest> {
      for (let last = ""; ; ) {
        const reply = await look();
        const done = reply && judge(reply.playtest);
        if (done) return done;
        if (reply) last = described(reply.playtest);
        const left = end - ctx.now();
        const waited = flags.for ? `After ${duration(flags.for)} the playtest is still` : "The playtest is";
        if (left <= 0) throw stillPending(`${waited} at: ${last}.`);
        await ctx.sleep(Math.min(pause, left), ctx.signal);
      }
    }

    const playtest = await watch().finally(async () => {
      progress.done();
      if (seen) await printProgress(ctx, seen);
    });
    return ctx.item({ playtest }, playtestView);
  },
});

/** For the later steps of a CI job, however the wait ended. */
const printProgress = (ctx: Context, { id, status, slots }: Playtest) =>
  ciOutputs(ctx, { "playtest-id": id, "playtest-status": status, ...slots });

const described = (playtest: Playtest) => countsText(playtest.slots) || playtest.status;
