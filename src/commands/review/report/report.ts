import { arg, define, flag } from "../../../cli/define.ts";
import { type Report, reportOf } from "./data.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";

const formats = {
  md: markdownOf,
  html: htmlOf,
  json: (report: Report) => JSON.stringify({ report }, null, 2),
};

export const report = define({
  name: "report",
  summary: "Report on a playtest: facts, findings and what was not covered",
  description:
    "Findings come by rank, with the seconds and quotes that show them. Playtesters are numbered and not named. Markdown shows what people wrote as code, and HTML is one file without scripts, so that it can neither " +
    "format nor link. Links lead to Studio, which asks to sign in.",
  args: { playtest: arg.playtest() },
  flags: {
    as: flag.choice(["md", "html", "json"], "Format (default: md)"),
    withName: flag.toggle("Name the playtesters"),
  },
  operation: ["getPlaytest", "listSlots", "listFindings"],
  examples: ["playtest review report PLAYTEST", "playtest review report PLAYTEST --as html -o report.html"],
  async run({ args, flags }, ctx) {
    const made = await reportOf(ctx, args.playtest, flags.withName);
    return ctx.verbatim(formats[flags.as ?? "md"](made), { report: made });
  },
});
