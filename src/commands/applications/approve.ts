import { arg, type Context, define, flag, type Row, viewOf } from "../../cli/define.ts";
import { playtestNamed } from "../../cli/names.ts";
import { usage } from "../../errors.ts";
import { plural, shortId } from "../../io/text.ts";
import { conclude, partialFailure, several, targets } from "../shared/several.ts";
import { applicationsTo, type By, orders, top } from "./choose.ts";

const view = viewOf<Row<"id" | "playtester" | "slotId" | "slotsRemaining">>([
  "id",
  "playtester",
  "slot:slotId",
  "slots left:slotsRemaining",
]);

async function best(ctx: Context, playtest: string | undefined, count: number, by: By): Promise<string[]> {
  if (playtest === undefined) throw usage("--top requires --playtest.");
  return top(await applicationsTo(ctx, await playtestNamed(ctx, playtest)), count, by).map(({ id }) => id);
}

export const approve = define({
  name: "approve",
  summary: "Approve applications and reserve a slot for each",
  description: "When the last slot is assigned, the server rejects all other pending applications.",
  args: { applications: { ...arg.ids("Application ids"), optional: true } },
  flags: {
    top: flag.integer("Approve the N best applications to --playtest", { min: 1, max: 100 }),
    by: flag.choice(
      orders,
      "How --top ranks them: highest rating, most accepted playtests, or oldest application (default rating)",
    ),
    playtest: flag.text("Playtest whose applications --top ranks", { value: "ID" }),
  },
  operation: ["approveApplication", "listApplications"],
  examples: [
    "playtest applications approve APPLICATION",
    "playtest applications approve --playtest PLAYTEST --top 3 --by rating --yes",
  ],
  exits: [11],
  async run({ args, flags }, ctx) {
    if (flags.top === undefined && (flags.by !== undefined || flags.playtest !== undefined))
      throw usage("--by and --playtest require --top.");
    const ids = await targets(ctx, args.applications, {
      all: flags.top !== undefined,
      flag: "--playtest ID --top N",
      find: () => best(ctx, flags.playtest, flags.top!, flags.by ?? "rating"),
      question: (count) => `Approve ${plural(count, "application")}?`,
    });
    const act = async (id: string) => {
      const { application, assignedSlotId, slotsRemaining } = await ctx.api().approveApplication({ params: { id } });
      return { id, playtester: application.displayName, slotId: assignedSlotId, slotsRemaining };
    };
    const results = await several(
      ctx,
      ids,
      act,
      (one) => `Approved ${one.playtester}: slot ${shortId(one.slotId)} is reserved, ${plural(one.slotsRemaining, "slot")} left.`,
    );
    if (ids.length === 0) ctx.out.note("No applications are pending.");
    const result = { approved: results.done, failed: results.failed };
    return conclude(ctx, result, results.done, view, partialFailure(results, "application", "approved"));
  },
});
