import { webUrl } from "../../api/url.ts";
import { define, flag } from "../../cli/define.ts";
import { slotArg } from "./queue.ts";

export const url = define({
  name: "url",
  summary: "Print a signed link to a video, valid for one hour",
  args: { slot: slotArg() },
  flags: { secretFile: flag.text("Write the link to a new file that only you can read", { value: "FILE" }) },
  operation: "getSlotDownloadUrl",
  examples: ["playtest review url SLOT", 'curl -o video.mp4 "$(playtest review url SLOT)"'],
  async run({ args, flags }, ctx) {
    const data = await ctx.api().getSlotDownloadUrl({ params: { id: args.slot } });
    return ctx.secret(webUrl(data.downloadUrl).href, flags.secretFile, data);
  },
});
