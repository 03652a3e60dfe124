import { define } from "../../cli/define.ts";
import { withConsent } from "./agreement.ts";
import { confirmedTimeFlags, confirmTime, offeredPlaytest } from "./confirmed-time.ts";
import { heldSlotView } from "./view.ts";

export const claim = define({
  name: "claim",
  summary: "Claim a slot and get the link to the build",
  operation: ["claimPlaytest", "getPlaytestAgreement"],
  body: "claimPlaytest",
  args: offeredPlaytest,
  flags: confirmedTimeFlags,
  examples: ["playtest tester claim 0d9c41f2", "playtest tester claim 0d9c41f2 --at 2026-12-05T18:00+01:00"],
  async run({ args, flags, body }, ctx) {
    const scheduledAt = await confirmTime(ctx, args.playtest, flags.at ?? body.scheduledAt);
    const confirmed = scheduledAt === undefined ? {} : { scheduledAt };
    const data = await withConsent(ctx, args.playtest, body.acceptConsent, (acceptConsent) =>
      ctx.api().claimPlaytest({
        params: { id: args.playtest },
        body: { ...confirmed, ...(acceptConsent !== undefined && { acceptConsent }) },
      }),
    );
    ctx.out.note("You have claimed a slot. Record your session, then run `playtest tester submit VIDEO`.");
    return ctx.item(data, heldSlotView);
  },
});
