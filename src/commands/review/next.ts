import { arg, define } from "../../cli/define.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { type Decision, decide } from "./inbox.ts";
import { slotReader, waiting } from "./queue.ts";
import { nothingWaiting } from "./view.ts";

type Counts = Record<Exclude<Decision, "quit">, number>;

const summary = ({ accepted, rejected, skipped }: Counts) => `${accepted} accepted, ${rejected} rejected, ${skipped} skipped.`;

export const next = define({
  name: "next",
  aliases: ["inbox"],
  summary: "Review the waiting submissions one by one",
  description:
    "Shows each submission, the oldest first, and prompts for an action: play the video (in $PLAYTEST_PLAYER, mpv or the default player), " +
    "note a moment of it or add one to a finding, read the transcript, accept, reject, send a message to the playtester, or skip. " +
    "A note is about the moment that mpv shows; for other players, its position is asked for.",
  args: { slots: { ...arg.ids("Slot ids (default: all that are waiting for review)"), optional: true } },
  operation: [
    "acceptSlot",
    "rejectSlot",
    "listSubmissions",
    "getSlot",
    "getPlaytest",
    "getSlotDownloadUrl",
    "createMoment",
    "createFinding",
    "addEvidence",
    "sendMessage",
  ],
  examples: ["playtest review next", "PLAYTEST_PLAYER=mpv playtest review next"],
  async run({ args }, ctx) {
    const ids = args.slots.length > 0 ? args.slots : (await waiting(ctx)).map(({ slot }) => slot.id).reverse();
    if (ids.length === 0) return void ctx.out.note(nothingWaiting);
    if (ctx.out.format.kind !== "auto")
      throw usage("This command is interactive and does not support output formats.", "Use `playtest review list`.");
    const read = slotReader(ctx);
    const counts: Counts = { accepted: 0, rejected: 0, skipped: 0 };
    for (const [index, id] of ids.entries()) {
      const { slot, payoutCents, publishing } = await read(id);
      // Someone else may have decided it since the list was fetched.
      if (slot.status !== "submitted") {
        if (args.slots.length > 0)
          throw new CliError(
            "CONFLICT",
            exitCodes.conflict,
            `Slot ${id} cannot be reviewed because it is ${slot.status ?? "in an unknown state"}.`,
          );
        continue;
      }
      const decision = await decide(
        ctx,
        slot,
        { payoutCents: payoutCents ?? 0, publishing },
        `${index + 1} of ${plural(ids.length, "submission")}`,
      );
      if (decision === "quit") break;
      counts[decision]++;
    }
    ctx.out.note(summary(counts));
    return undefined;
  },
});
