import { arg, define, flag } from "../../cli/define.ts";

export const buildUrl = define({
  name: "builds url",
  summary: "Print a signed link to a hosted build, valid for one hour",
  operation: "getBuildDownloadUrl",
  args: { build: arg.id("Build id, from `playtest games builds`"), game: arg.game() },
  flags: { secretFile: flag.text("Write the link to a new file that only you can read", { value: "FILE" }) },
  examples: ["playtest games builds url 7be02c11", 'curl -o build.zip "$(playtest games builds url 7be02c11 GAME)"'],
  async run({ args, flags }, ctx) {
    const data = await ctx.api().getBuildDownloadUrl({ params: { id: args.game, buildId: args.build } });
    return ctx.secret(data.downloadUrl, flags.secretFile, data);
  },
});
