import { arg, type Context, define, flag, type Row, viewOf } from "../../cli/define.ts";
import { playtestNamed } from "../../cli/names.ts";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { conclude, partialFailure, several, targets } from "../shared/several.ts";
import { applicationsTo, top } from "./choose.ts";

const view = viewOf<Row<"id" | "playtester" | "status">>(["id", "playtester", "status"]);

async function pending(ctx: Context, playtest: string | undefined): Promise<string[]> {
  if (playtest === undefined) throw usage("--rest requires --playtest.");
  return top(await applicationsTo(ctx, await playtestNamed(ctx, playtest)), Number.POSITIVE_INFINITY, "oldest").map(
    ({ id }) => id,
  );
}

export const reject = define({
  name: "reject",
  summary: "Reject applications",
  description: "Each playtester is notified and cannot apply to the same playtest again.",
  args: { applications: { ...arg.ids("Application ids"), optional: true } },
  flags: {
    rest: flag.toggle("Reject every pending application to --playtest"),
    playtest: flag.text("Playtest whose pending applications --rest rejects", { value: "ID" }),
    message: flag.text("Text added to the rejection email"),
  },
  operation: ["rejectApplication", "listApplications"],
  examples: [
    'playtest applications reject APPLICATION --message "We need keyboard players."',
    "playtest applications reject --playtest PLAYTEST --rest --yes",
  ],
  exits: [11],
  async run({ args, flags }, ctx) {
    if (!flags.rest && flags.playtest !== undefined) throw usage("--playtest requires --rest.");
    const ids = await targets(ctx, args.applications, {
      all: flags.rest,
      flag: "--playtest ID --rest",
      find: () => pending(ctx, flags.playtest),
      question: (count) => `Reject ${plural(count, "application")}?`,
    });
    const body = flags.message === undefined ? {} : { customMessage: flags.message };
    const act = async (id: string) => {
      const { application } = await ctx.api().rejectApplication({ params: { id }, body });
      return { id, playtester: application.displayName, status: application.status };
    };
    const results = await several(ctx, ids, act, ({ playtester }) => `Rejected ${playtester}.`);
    if (ids.length === 0) ctx.out.note("No applications are pending.");
    const result = { rejected: results.done, failed: results.failed };
    return conclude(ctx, result, results.done, view, partialFailure(results, "application", "rejected"));
  },
});
