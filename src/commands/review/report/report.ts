import { arg, define, flag } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { goesToStdout } from "../../shared/pdf.ts";
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
    "Findings come by rank, with the seconds and quotes that show them. Playtesters are numbered and not named. Markdown shows what people wrote as code, and HTML is one file without scripts, and PDF has A4 pages, so that it can neither " +
    "format nor link. Links lead to Studio, which asks to sign in.",
  args: { playtest: arg.playtest() },
  flags: {
    as: flag.choice(["md", "html", "json", "pdf"], "Format (default: md)"),
    withName: flag.toggle("Name the playtesters"),
  },
  operation: ["getPlaytest", "listSlots", "listFindings"],
  examples: [
    "playtest review report PLAYTEST",
    "playtest review report PLAYTEST --as html -o report.html",
    "playtest review report PLAYTEST --as pdf -o report.pdf",
  ],
  async run({ args, flags: { as = "md", withName } }, ctx) {
    if (as === "pdf" && ctx.out.format.kind === "auto" && !goesToStdout(ctx))
      throw usage("A PDF file cannot be shown in a terminal. Nothing was made.", "Pass -o report.pdf.");
    const made = await reportOf(ctx, args.playtest, withName);
    if (as !== "pdf" || !goesToStdout(ctx)) return ctx.verbatim(formats[as === "pdf" ? "json" : as](made), { report: made });
    const { pdfOf } = await import("./pdf.ts");
    await ctx.out.raw(await pdfOf(made, (message) => ctx.out.warn(message)));
    return undefined;
  },
});
