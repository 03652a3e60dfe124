import { define, flag } from "../../cli/define.ts";
import { utcText } from "../shared/fixed-time.ts";
import { withConsent } from "./agreement.ts";
import { confirmedTimeFlags, confirmOffered, offeredPlaytest } from "./confirmed-time.ts";
import { namedFriend } from "./team.ts";
import { heldSlotView } from "./view.ts";

export const claim = define({
  name: "claim",
  summary: "Claim a slot and get the link to the build",
  operation: ["claimPlaytest", "getPlaytestAgreement"],
  body: "claimPlaytest",
  bodyOmit: ["with"],
  args: offeredPlaytest,
  flags: {
    ...confirmedTimeFlags,
    with: flag.list("Friend who plays with you, with or without their share; may be repeated", { value: "HANDLE[=USD]" }),
  },
  examples: [
    "playtest tester claim 0d9c41f2",
    "playtest tester claim 0d9c41f2 --at 2026-12-05T18:00+01:00",
    "playtest tester claim 0d9c41f2 --with ben --with cleo=15.00",
  ],
  async run({ args, body, flags }, ctx) {
    const named = [...(body.with ?? []), ...flags.with.map((text) => namedFriend(text, "--with"))];
    const scheduledAt = await confirmOffered(ctx, args.playtest, flags.at ?? body.scheduledAt);
    const data = await withConsent(ctx, args.playtest, body.acceptConsent, (acceptConsent) =>
      ctx.api().claimPlaytest({
        params: { id: args.playtest },
        body: {
          ...(scheduledAt !== undefined && { scheduledAt }),
          ...(acceptConsent !== undefined && { acceptConsent }),
          ...(named.length > 0 && { with: named }),
        },
      }),
    );
    if (data.slot.team?.status === "asking") {
      ctx.out.note("The slot is held for your team. It is reserved when all of them have confirmed.");
      return ctx.item(data, heldSlotView);
    }
    const at = utcText(data.slot.scheduledAt);
    const claimed = `You have claimed a slot${at ? `, which is played at ${at}` : ""}.`;
    ctx.out.note(`${claimed} Record your session, then run \`playtest tester submit VIDEO\`.`);
    return ctx.item(data, heldSlotView);
  },
});
