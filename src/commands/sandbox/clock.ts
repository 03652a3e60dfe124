import { arg, define, type ItemOf, viewOf } from "../../cli/define.ts";
import { requireDuration } from "../../config/settings.ts";
import { operations } from "../../contract/static.ts";
import { usage } from "../../errors.ts";

const clockView = viewOf<ItemOf<"getClock">>(["now"]);
const advancedView = viewOf<ItemOf<"advanceClock">>([...clockView.columns, "jobs run:ran"]);

/** Milliseconds: everything that becomes due runs before the server answers. */
const timeout = 600_000;

const clock = define({
  name: "clock",
  operation: "getClock",
  examples: ["playtest sandbox clock"],
  view: clockView,
});

const advance = define({
  name: "advance",
  summary: "Move the sandbox clock forward and run what becomes due",
  description: "Deadlines, renewals and expirations follow this clock. It cannot be moved back.",
  operation: "advanceClock",
  args: { time: arg.text("How far, such as 30s, 5m, 2h or 7d; at most 400d") },
  examples: ["playtest sandbox advance 7d", "playtest sandbox advance 2h --json"],
  async run({ args }, ctx) {
    // Not tried again: a move whose reply was lost would be made twice.
    const request = { body: { seconds: secondsOf(args.time) }, timeout, retries: 0 };
    return ctx.item(await ctx.api().advanceClock(request), advancedView);
  },
});

function secondsOf(text: string): number {
  const seconds = requireDuration(text, "time", { max: Number.POSITIVE_INFINITY });
  if (!Number.isInteger(seconds)) throw usage("time: must be whole seconds.");
  const { max = 0 } = operations.advanceClock.body.find(({ name }) => name === "seconds")!;
  if (seconds > max) throw usage(`time: must be at most ${max / 86_400}d.`);
  return seconds;
}

export const clockCommands = [advance, clock];
