import { resolve } from "node:path";
import { col, define, flag, prose, type Row, viewOf } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { safePart } from "../../../io/files/safe-name.ts";
import { fetchPdf, goesToStdout, writeWhole } from "../../shared/pdf.ts";
import { statementView } from "../view.ts";

const fileView = viewOf<Row<"period" | "file" | "bytes">>(["period", prose("file"), col("size:bytes", "bytes")]);

export const statement = define({
  name: "statement",
  summary: "Show your earnings and payouts of a month or year",
  description:
    "All figures are from the ledger, in UTC. The portal shows the same as a page, as CSV and as PDF. With --pdf, the document is written to standard output if that is a file or a pipe, and otherwise saved to a file named after its period.",
  operation: ["getStatement", "getStatementFile"],
  query: "getStatement",
  flags: { pdf: flag.toggle("Download the statement as a PDF document") },
  examples: [
    "playtest tester statement --month 2026-10",
    "playtest tester statement --year 2026 --json",
    "playtest tester statement --year 2026 --pdf > 2026.pdf",
  ],
  async run({ query, flags }, ctx) {
    const { month, year } = query;
    if ((month === undefined) === (year === undefined)) throw usage("Pass either --month or --year.");
    // Asked for first with --pdf too: a server without statements then says so.
    const shown = await ctx.api().getStatement({ query });
    if (!flags.pdf) return ctx.item(shown, statementView);
    const period = String(month ?? year);
    const asked = new URLSearchParams({ [month === undefined ? "year" : "month"]: period });
    const pdf = await fetchPdf(ctx, `/playtester/statement/file?${asked}`, `The statement of ${period}`);
    if (goesToStdout(ctx)) {
      await ctx.out.raw(pdf);
      return undefined;
    }
    const file = resolve(ctx.io.cwd(), `statement-${safePart(period)}.pdf`);
    await writeWhole(file, pdf);
    return ctx.item({ file: { period, file, bytes: pdf.length } }, fileView);
  },
});
