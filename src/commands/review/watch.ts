import { type Context, define, flag } from "../../cli/define.ts";
import { bytes } from "../../io/text.ts";
import { withReconnect } from "../shared/reconnect.ts";
import { openEventWakeup, runHook } from "../shared/watching.ts";
import { type Submission, waiting } from "./queue.ts";
import { queueView } from "./view.ts";

// The full id: a short one is known only for what a list has shown.
const summaryLine = ({ slot, game, playtester, submission }: Submission) =>
  `${slot.id}  ${game.name}  ${playtester?.displayName ?? ""}  ${submission ? bytes(submission.videoFileSize ?? 0) : ""}`.trimEnd();

async function printSubmission(ctx: Context, item: Submission, command: string | undefined) {
  await ctx.out.each(item, summaryLine(item), queueView);
  if (command === undefined) return;
  const env = {
    PLAYTEST_EVENT: "slot.submitted",
    PLAYTEST_SLOT_ID: item.slot.id,
    PLAYTEST_GAME_ID: item.game.id,
    PLAYTEST_PLAYTEST_ID: item.playtest.id,
  };
  await runHook(ctx, command, item, env, `slot ${item.slot.id}`);
}

export const watch = define({
  name: "watch",
  summary: "Print new submissions as they arrive",
  description:
    "Runs until stopped. If the server has an event stream, submissions appear at once, otherwise at the next check. The --exec " +
    "command receives each submission as JSON on standard input, and PLAYTEST_SLOT_ID, PLAYTEST_GAME_ID and PLAYTEST_PLAYTEST_ID in " +
    "its environment.",
  flags: {
    interval: flag.duration("Time between checks (default 30s)", { min: 1 }),
    existing: flag.toggle("Also print submissions that are already waiting"),
    count: flag.integer("Stop after this many submissions", { min: 1 }),
    exec: flag.text("Shell command to run for each submission", { value: "COMMAND" }),
  },
  operation: ["listSubmissions", "listEvents"],
  examples: [
    "playtest review watch",
    "playtest review watch --existing --ndjson",
    "playtest review watch --exec 'notify-send \"New playtest video\"'",
  ],
  async run({ flags }, ctx) {
    const poll = withReconnect(ctx, () => waiting(ctx));
    const seen = new Set<string>();
    let left = flags.count ?? Number.POSITIVE_INFINITY;
    if (!flags.existing) for (const { slot } of (await poll()) ?? []) seen.add(slot.id);
    const wakeup = openEventWakeup(ctx, (kind) => kind === "slot.submitted");
    try {
      for (;;) {
        const found = (await poll()) ?? [];
        const fresh = found.filter(({ slot }) => !seen.has(slot.id)).reverse();
        for (const item of fresh.slice(0, left)) {
          seen.add(item.slot.id);
          await printSubmission(ctx, item, flags.exec);
        }
        left -= fresh.length;
        if (left <= 0) return undefined;
        await wakeup.wait((flags.interval ?? 30) * 1000);
      }
    } finally {
      wakeup.close();
    }
  },
});
