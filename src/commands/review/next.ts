import { arg, define } from "../../cli/define.ts";
import { CliError, exitCodes, usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { type Decision, decide } from "./inbox.ts";
import { slotReader, waiting } from "./queue.ts";

type Counts = Record<Exclude<Decision, "quit">, number>;

const summary = ({ accepted, rejected, skipped }: Counts) => `${accepted} accepted, ${rejected} rejected, ${skipped} skipped.`;

export const next = define({
  name: "next",
  aliases: ["inbox"],
  summary: "Go through what waits for review, one by one",
  description:
    "Shows each submission, the oldest first, and asks what to do: play it (in $PLAYTEST_PLAYER, else the system's player), read the\n" +
    "transcript, accept, reject, write to the playtester, skip.",
  args: { slots: { ...arg.ids("Slot ids; default all that wait"), optional: true } },
  operation: ["acceptSlot", "rejectSlot", "listSubmissions", "getSlot", "getPlaytest", "getSlotDownloadUrl", "sendMessage"],
  examples: ["playtest review next", "PLAYTEST_PLAYER=mpv playtest review next"],
  async run({ args }, ctx) {
    const ids = args.slots.length > 0 ? args.slots : (await waiting(ctx)).map(({ slot }) => slot.id).reverse();
    if (ids.length === 0) return void ctx.out.note("Nothing waits for review.");
    if (ctx.out.format.kind !== "auto")
      throw usage("An inbox is for a person, and prints no other format.", "See `playtest review list`.");
    const read = slotReader(ctx);
    const counts: Counts = { accepted: 0, rejected: 0, skipped: 0 };
    for (const [index, id] of ids.entries()) {
      const { slot, payoutCents } = await read(id);
      // Somebody else may have decided since the list was made.
      if (slot.status !== "submitted") {
        if (args.slots.length > 0)
          throw new CliError("CONFLICT", exitCodes.conflict, `Slot ${id} is ${slot.status}, not submitted.`);
        continue;
      }
      const decision = await decide(ctx, slot, payoutCents, `${index + 1} of ${plural(ids.length, "submission")}`);
      if (decision === "quit") break;
      counts[decision]++;
    }
    ctx.out.note(summary(counts));
    return undefined;
  },
});
