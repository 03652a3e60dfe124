import { define } from "../../cli/define.ts";
import { withConsent } from "./agreement.ts";
import { confirmedTimeFlags, confirmOffered, offeredPlaytest } from "./confirmed-time.ts";
import { applicationView } from "./view.ts";

export const apply = define({
  name: "apply",
  summary: "Apply to a playtest that requires approval by its owner",
  operation: ["applyToPlaytest", "getPlaytestAgreement"],
  body: "applyToPlaytest",
  args: offeredPlaytest,
  flags: confirmedTimeFlags,
  examples: ["playtest tester apply 0d9c41f2 --qualifications-response 'Ten years of roguelikes'"],
  async run({ args, flags, body: given }, ctx) {
    const params = { id: args.playtest };
    const scheduledAt = await confirmOffered(ctx, args.playtest, flags.at ?? given.scheduledAt);
    const body = { ...given, ...(scheduledAt !== undefined && { scheduledAt }) };
    const data = await withConsent(ctx, args.playtest, body.acceptConsent, (acceptConsent) =>
      ctx.api().applyToPlaytest({ params, body: { ...body, ...(acceptConsent !== undefined && { acceptConsent }) } }),
    );
    return ctx.item(data, applicationView);
  },
});
