import { arg, define, flag } from "../../cli/define.ts";
import { parseMoney } from "../../cli/flags.ts";
import { missingRemedy } from "../../contract/teams/full.ts";
import { declined, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { withConsent } from "./agreement.ts";
import { confirmedTimeFlags, confirmTime } from "./confirmed-time.ts";
import { heldSlotView } from "./view.ts";

const slot = () => arg.id("Slot id, or the name of its game", "listHeldSlots", "game.name");

/** `ben` or `ben=15.00`. */
export function namedFriend(text: string, label: string): { handle: string; shareCents?: number } {
  const [, handle = "", share] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (handle === "") throw usage(`${label}: ${JSON.stringify(text)} names no friend.`);
  return { handle, ...(share !== undefined && { shareCents: parseMoney(share, label) }) };
}

const confirm = define({
  name: "team confirm",
  summary: "Confirm that you play a slot with a friend",
  description:
    "The slot is reserved when everybody confirmed. Then it shows the build and instructions, and a game key to each member.",
  operation: ["confirmTeam", "getHeldSlot"],
  args: { slot: slot() },
  flags: {
    share: flag.field("confirmTeam", "shareCents", "Your share of the payout; asked for without it"),
    ...confirmedTimeFlags,
    acceptConsent: flag.text("Version of the agreement that you have read and accept", { value: "VERSION" }),
  },
  asks: true,
  examples: [
    "playtest tester team confirm 9c21d0ff",
    "playtest tester team confirm 9c21d0ff --share 10.00",
    "playtest tester team confirm 9c21d0ff --share 10.00 --at 2026-12-05T18:00+01:00",
  ],
  async run({ args, flags }, ctx) {
    const params = { id: args.slot };
    const { slot: shown } = await ctx.api().getHeldSlot({ params });
    const yours = shown.team?.yourShareCents ?? 0;
    const question = `Playtest ${shown.game.name} with your team, for ${usd(yours)} of ${usd(shown.playtest.payoutCents)}?`;
    if (
      flags.share === undefined &&
      !(await ctx.prompt.confirm(question, `Pass --share ${(yours / 100).toFixed(2)} to confirm.`))
    )
      throw declined();
    const shareCents = flags.share ?? yours;
    const scheduledAt = await confirmTime(ctx, shown.scheduledAt, flags.at);
    const data = await withConsent(ctx, shown.requestId, flags.acceptConsent, (acceptConsent) =>
      ctx.api().confirmTeam({
        params,
        body: {
          shareCents,
          ...(scheduledAt !== undefined && { scheduledAt }),
          ...(acceptConsent !== undefined && { acceptConsent }),
        },
      }),
    );
    const { team, playtest } = data.slot;
    const isFull = team?.status === "complete" && missingRemedy(playtest.playerCount, team.members) === undefined;
    ctx.out.note(isFull ? "Your team is complete." : "You have confirmed. Others are still missing.");
    return ctx.item(data, heldSlotView);
  },
});

const decline = define({
  name: "team decline",
  operation: "declineTeam",
  args: { slot: slot() },
  examples: ["playtest tester team decline 9c21d0ff"],
});

const leave = define({
  name: "team leave",
  operation: "leaveTeam",
  args: { slot: slot() },
  examples: ["playtest tester team leave 9c21d0ff"],
});

const replace = define({
  name: "team replace",
  summary: "Ask another friend in the place of a member who is missing",
  description: "For the playtester who claimed the slot. A video can be submitted only when the team is complete.",
  operation: "replaceTeamMember",
  args: { slot: slot() },
  body: "replaceTeamMember",
  examples: [
    "playtest tester team replace 9c21d0ff --with dana",
    "playtest tester team replace 9c21d0ff --missing ben --with dana",
  ],
  view: heldSlotView,
});

const shares = define({
  name: "team shares",
  summary: "Change the shares before the team is complete; everybody is asked again",
  description: "For the playtester who claimed the slot, who gets what is left of the payout.",
  operation: "setTeamShares",
  args: { slot: slot() },
  flags: { share: flag.list("Share of a friend; may be repeated", { value: "HANDLE=USD" }) },
  examples: ["playtest tester team shares 9c21d0ff --share ben=15.00"],
  async run({ args, flags }, ctx) {
    const named = flags.share.map((text) => namedFriend(text, "--share"));
    if (named.length === 0)
      throw usage("--share is required.", "Pass the share of at least one friend, such as --share ben=15.00.");
    const given = named.map(({ handle, shareCents }) => {
      if (shareCents === undefined) throw usage(`--share: ${JSON.stringify(handle)} has no amount. Example: ${handle}=15.00.`);
      return { handle, shareCents };
    });
    return ctx.item(await ctx.api().setTeamShares({ params: { id: args.slot }, body: { shares: given } }), heldSlotView);
  },
});

export const teamCommands = [confirm, decline, leave, replace, shares];
