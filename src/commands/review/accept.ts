import { type Context, define, flag } from "../../cli/define.ts";
import { plural, shortId, usd } from "../../io/text.ts";
import { conclude, partialFailure, several, targets } from "../shared/several.ts";
import { slotIds, slotReader, waiting } from "./queue.ts";
import { acceptedText, acceptedView, nothingWaiting } from "./view.ts";

const totalOf = (accepted: readonly { payoutCents: number | null }[]) =>
  accepted.reduce((sum, { payoutCents }) => sum + (payoutCents ?? 0), 0);

const allWaiting = async (ctx: Context) => (await waiting(ctx)).map(({ slot }) => slot.id);

export const accept = define({
  name: "accept",
  summary: "Accept submissions and pay the playtesters",
  description:
    "A single slot is accepted without confirmation. For several slots or --all, asks for confirmation unless --yes is given.",
  args: { slots: slotIds("all") },
  flags: { all: flag.toggle("Accept all submissions that are waiting for review") },
  operation: ["acceptSlot", "getSlot", "getPlaytest"],
  body: "acceptSlot",
  examples: [
    "playtest review accept SLOT --rating 5",
    'playtest review accept SLOT SLOT --comment "Thank you." --yes',
    "playtest review accept --all --yes --json",
  ],
  exits: [11],
  async run({ args, flags, body }, ctx) {
    const ids = await targets(ctx, args.slots, {
      all: flags.all,
      flag: "--all",
      find: () => allWaiting(ctx),
      question: (count) =>
        `Accept ${plural(count, "submission")} and pay ${count === 1 ? "its playtester" : "their playtesters"}?`,
    });
    const read = slotReader(ctx);
    const results = await several(
      ctx,
      ids,
      async (id) => {
        const { slot, payoutCents, publishing } = await read(id);
        const { message } = await ctx.api().acceptSlot({ params: { id }, body });
        return { id, playtester: slot.playtester?.displayName ?? null, payoutCents, publishing, message };
      },
      ({ id, playtester, payoutCents, publishing, message }) =>
        payoutCents !== null && payoutCents > 0
          ? acceptedText(`Accepted ${shortId(id)}`, playtester ?? "the playtester", { payoutCents, publishing })
          : `${shortId(id)}: ${message ?? "accepted"}`,
    );
    const payoutCents = totalOf(results.done);
    if (ids.length === 0) ctx.out.note(nothingWaiting);
    else if (ids.length > 1) {
      const later = totalOf(results.done.filter(({ publishing }) => publishing));
      const paid = payoutCents === 0 && ctx.withoutPayments() ? "" : `, ${usd(payoutCents - later)} paid out`;
      const unpaid = later > 0 ? `, ${usd(later)} to be paid when the videos are published` : "";
      ctx.out.note(`${plural(results.done.length, "submission")} accepted${paid}${unpaid}.`);
    }
    const result = { accepted: results.done, failed: results.failed, payoutCents };
    return conclude(ctx, result, results.done, acceptedView, partialFailure(results, "submission", "accepted"));
  },
});
