import type { Sheet } from "../../../../server/billing/invoices/pdf-page.ts";
import type { Report, ReportedFinding, Seen } from "./data.ts";
import { factRows, metBy, place } from "./markdown.ts";

/** A report on A4 pages, laid out as invoices are. */

/** Where text begins; where the bars of a chart begin, how long they are at most, and their height (pt). */
const left = 56;
const bars = { x: 226, width: 260, height: 9 };
/** How many findings the chart shows; each has its section below. */
const mostBars = 20;
const gap = 8;

/** How many playtesters met each finding, as bars. */
function chart(sheet: Sheet, findings: readonly ReportedFinding[]): void {
  const { pen } = sheet;
  sheet.advance(gap);
  for (const { number, title, testers } of findings.slice(0, mostBars)) {
    sheet.advance(0, 14);
    pen.bar(
      { x: bars.x, y: sheet.y + 2, width: bars.width, height: bars.height },
      testers.of === 0 ? 0 : testers.seen / testers.of,
    );
    pen.write(`${testers.seen} of ${testers.of}`, { x: bars.x + bars.width + gap, y: sheet.y, size: 9 });
    const short = [...`${number}. ${title}`].slice(0, 60).join("");
    sheet.y = Math.max(sheet.y + 16, pen.write(short, { x: left, y: sheet.y, width: bars.x - left - gap, size: 9 }) + 3);
  }
}

const seenText = ({ tester, quote, text, ...at }: Seen) => {
  const said = quote === null ? (text ?? "") : `“${quote}”`;
  return `${place(at)}, ${tester}${said === "" ? "" : `: ${said}`}`;
};

/** Renders a report. The same report always gives the same bytes. */
export async function pdfOf(report: Report, warn: (message: string) => void): Promise<Buffer> {
  const [{ facts, heading, paragraph, printPages, title }, { createFonts }] = await Promise.all([
    import("../../../../server/billing/invoices/pdf-page.ts"),
    import("../../../../server/billing/invoices/fonts.ts"),
  ]);
  const { playtest, findings, notCovered } = report;
  const name = `Playtest of ${playtest.gameName ?? "a game"}`;
  const head = { title: name, author: playtest.gameName ?? "playtest", createdAt: Date.parse(playtest.createdAt) };
  const section = (sheet: Sheet, finding: ReportedFinding) => {
    const { number, title: words, text, kind, severity, status, seen } = finding;
    heading(sheet, `${number}. ${words}`);
    const about = [kind, severity === null ? "no severity" : `severity ${severity}`, status].join(", ");
    paragraph(sheet, `${metBy(finding)}. ${about}.`);
    if (text.trim() !== "") paragraph(sheet, text);
    for (const one of seen) paragraph(sheet, `· ${seenText(one)}`, one.url);
  };
  return printPages(head, { fonts: createFonts([], warn), logo: null }, (sheet) => {
    title(sheet, name);
    facts(sheet, factRows(report));
    heading(sheet, "Findings, by rank");
    if (findings.length === 0) paragraph(sheet, "None.");
    chart(sheet, findings);
    for (const finding of findings) section(sheet, finding);
    heading(sheet, "Not covered");
    for (const sentence of notCovered.length > 0 ? notCovered : ["Nothing was left out."]) paragraph(sheet, sentence);
  });
}
