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
  summary: "Wait for a playtest to reach a state",
  description:
    "Exits with 0 when the --until condition is met, with 8 when the --for limit is reached first, and with 13 when a --fail-if condition " +
    "is met at any check. Slots that have ended count as done.",
  args: { playtest: arg.playtest() },
  flags: {
    until: flag.text("Condition to wait for (default all-submitted)", { value: untilForms }),
    failIf: flag.list("Fail when a slot count meets this condition, such as 'rejected>1' (repeatable)", { value: "CONDITION" }),
    for: flag.duration("Maximum time to wait (default: no limit)"),
    interval: flag.duration("Time between checks (default 15s)"),
  },
  operation: "getPlaytest",
  examples: [
    "playtest playtests wait PLAYTEST",
    "playtest playtests wait PLAYTEST --until 3-submitted --for 2d",
    "playtest playtests wait PLAYTEST --until all-reviewed --fail-if 'rejected>1' --for 5d",
  ],
  exits: [8, 13],
  async run({ args, flags }, ctx) {
    const until = flags.until ?? "all-submitted";
    const reached = parseUntil(until);
    const gates = flags.failIf.map((text) => ({ text, fails: parseSlotGate(text).fails }));
    const pause = Math.max(1, flags.interval ?? 15) * 1000;
    const end = flags.for === undefined ? Number.POSITIVE_INFINITY : ctx.now() + flags.for * 1000;
    const progress = await ctx.progress();
    const check = withReconnect(ctx, () => ctx.api().getPlaytest({ params: { id: args.playtest } }));

    let latest: Playtest | undefined;

    /** The playtest if the condition is met. Undefined if it is not met yet. */
    function evaluate(playtest: Playtest): Playtest | undefined {
      latest = playtest;
      const failed = gates.find(({ fails }) => fails(playtest.slots));
      if (failed) throw gateFailed(`The --fail-if condition ${failed.text} is met. Current state: ${described(playtest)}.`);
      if (reached(playtest)) return playtest;
      progress.update(described(playtest));
      return undefined;
    }

    async function watch(): Promise<Playtest> {
      for (let last = ""; ; ) {
        const reply = await check();
        const done = reply && evaluate(reply.playtest);
        if (done) return done;
        if (reply) last = described(reply.playtest);
        const left = end - ctx.now();
        if (left <= 0)
          throw stillPending(`The playtest did not reach ${until} within ${duration(flags.for ?? 0)}. Current state: ${last}.`);
        await ctx.sleep(Math.min(pause, left), ctx.signal);
      }
    }

    const playtest = await watch().finally(async () => {
      progress.done();
      if (latest) await printProgress(ctx, latest);
    });
    return ctx.item({ playtest }, playtestView);
  },
});

/** Sets the outputs of a CI job, however the wait ended. */
const printProgress = (ctx: Context, { id, status, slots }: Playtest) =>
  ciOutputs(ctx, { "playtest-id": id, "playtest-status": status, ...slots });

const described = (playtest: Playtest) => countsText(playtest.slots) || playtest.status;
