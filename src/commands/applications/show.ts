import { arg, define } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";
import { applicationsTo } from "./choose.ts";
import { applicationView } from "./view.ts";

export const show = define({
  name: "show",
  summary: "Show an application to a playtest",
  args: { playtest: arg.playtest(), application: arg.id("Application id") },
  operation: "listApplications",
  examples: ["playtest applications show PLAYTEST APPLICATION"],
  async run({ args }, ctx) {
    const application = (await applicationsTo(ctx, args.playtest)).find(({ id }) => id === args.application);
    if (!application) throw notFound(`Playtest ${args.playtest} has no application ${args.application}.`);
    return ctx.item({ application }, applicationView);
  },
});
