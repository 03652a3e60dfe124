import { arg, col, define, type ItemOf, viewOf } from "../../cli/define.ts";

const agreement = define({
  name: "agreement",
  summary: "Show the agreement that playtesters of a game must accept",
  description: "It is the game's own (`games update --consent-file`), or else that of the server.",
  operation: "getGameAgreement",
  args: { game: arg.game() },
  examples: ["playtest games agreement", "playtest games agreement GAME --jq '.versions[].version'"],
  async run({ args }, ctx) {
    const data = await ctx.api().getGameAgreement({ params: { id: args.game } });
    if (data.agreement === null) return ctx.text("Playtesters of this game need not accept anything.", data);
    const { version, gameId, text } = data.agreement;
    ctx.out.note(`Version ${version}, ${gameId === null ? "of the server" : "of the game"}.`);
    return ctx.text(text, data);
  },
});

const view = viewOf<ItemOf<"listGameConsents">>(
  [
    "playtester:playtester.displayName",
    "version",
    col("agreement", ({ gameId }) => (gameId === null ? "server" : "game")),
    "accepted:acceptedAt",
  ],
  { empty: "No playtester has accepted an agreement for this game." },
);

const consents = define({
  name: "consents",
  summary: "List which playtesters accepted which agreement",
  operation: "listGameConsents",
  args: { game: arg.game() },
  list: true,
  examples: ["playtest games consents", "playtest games consents GAME --all --csv"],
  view,
});

export const agreementCommands = [agreement, consents];
