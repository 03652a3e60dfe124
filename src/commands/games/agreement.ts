import { arg, col, define, type ItemOf, viewOf } from "../../cli/define.ts";
import { chosen, noteVersions, versionFlag } from "../shared/agreement.ts";

const agreement = define({
  name: "agreement",
  summary: "Show the agreement that playtesters of a game must accept",
  description: "It is the game's own (`games update --consent-file`), or else that of the server.",
  operation: "getGameAgreement",
  args: { game: arg.game() },
  flags: { version: versionFlag },
  examples: [
    "playtest games agreement",
    "playtest games agreement GAME --version 1",
    "playtest games agreement GAME --jq '.versions[].version'",
  ],
  async run({ args, flags }, ctx) {
    const data = await ctx.api().getGameAgreement({ params: { id: args.game } });
    const shown = chosen(data, flags.version);
    if (shown === null) {
      noteVersions(ctx, data.versions, undefined, "Earlier versions");
      return ctx.text("Playtesters of this game need not accept anything.", data);
    }
    const { version, gameId, text } = shown;
    ctx.out.note(`Version ${version}, ${gameId === null ? "of the server" : "of the game"}.`);
    noteVersions(ctx, data.versions, version);
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
