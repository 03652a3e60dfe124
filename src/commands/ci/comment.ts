import { arg, define, flag } from "../../cli/define.ts";
import { keepComment, targetOf } from "./hosts.ts";
import { summarized } from "./summary.ts";

const done = {
  created: "Created the comment.",
  updated: "Updated the comment.",
  unchanged: "The comment is up to date.",
};

export const comment = define({
  name: "comment",
  summary: "Keep one comment with the summary up to date on a pull or merge request",
  description:
    "In a job of GitHub or GitLab it finds the request by itself, and uses GITHUB_TOKEN, or GITLAB_TOKEN (a token with the scope api). It changes its own comment " +
    "for the game, and nothing else. Names, notes and comments are shown as plain text, as `ci summary` does.",
  operation: ["getPlaytest", "listSlots", "listFindings"],
  risk: "write",
  args: { playtest: arg.playtest() },
  flags: {
    to: flag.text("Request: github:OWNER/REPOSITORY#12 or gitlab:GROUP/PROJECT!12 (default: that of the CI job)", {
      value: "REQUEST",
    }),
  },
  examples: ["playtest ci comment PLAYTEST", "playtest ci comment PLAYTEST --to github:acme/lantern#12"],
  exits: [10],
  async run({ args, flags }, ctx) {
    const target = targetOf(ctx, flags.to);
    const { markdown, playtest } = await summarized(ctx, args.playtest);
    const outcome = await keepComment(ctx, target, `<!-- playtest summary of game ${playtest.gameId} -->`, markdown);
    return ctx.text(done[outcome], { result: { ...target, outcome } });
  },
});
