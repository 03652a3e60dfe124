import { arg, define, flag } from "../../cli/define.ts";
import { idNamed } from "../../cli/names.ts";

export const buildUrl = define({
  name: "builds url",
  summary: "Print a signed link to a hosted build, valid for one hour",
  operation: ["getBuildDownloadUrl", "listBuilds"],
  args: { build: arg.text("Build id or version, from `playtest games builds`"), game: arg.game() },
  flags: { secretFile: flag.text("Write the link to a new file that only you can read", { value: "FILE" }) },
  examples: ["playtest games builds url 7be02c11", 'curl -o build.zip "$(playtest games builds url 7be02c11 GAME)"'],
  async run({ args, flags }, ctx) {
    const buildId = await idNamed(ctx, "listBuilds", args.build, { id: args.game });
    const data = await ctx.api().getBuildDownloadUrl({ params: { id: args.game, buildId } });
    return ctx.secret(data.downloadUrl, flags.secretFile, data);
  },
});
