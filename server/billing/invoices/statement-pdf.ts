import { plural } from "../../../src/contract/text/plural.ts";
import { usd } from "../../lib/money.ts";
import type { Fonts } from "./fonts.ts";
import { column, date, facts, lowest, margin, party, printPages, right } from "./pdf-page.ts";
import type { PdfWriter } from "./pdf-writer.ts";
import type { StatementDocument } from "./rules.ts";

interface Row {
  label: string;
  cents: number;
  bold?: boolean;
}

/** Renders a playtester's statement of a month or year on A4 pages. The same document always gives the same bytes. */
export const printStatement = (document: StatementDocument, fonts: Fonts): Promise<Buffer> =>
  printPages(
    { title: `Statement ${document.statement.period}`, author: document.payer.name, createdAt: document.issuedAt },
    fonts,
    (pen, addPage) => draw(pen, addPage, document),
  );

function draw(pen: PdfWriter, addPage: () => void, { statement, payer, playtester, issuedAt }: StatementDocument): void {
  pen.write("Statement of earnings", { x: margin, y: margin, size: 24, bold: true });
  const lastDay = Date.parse(statement.to) - 1;
  facts(pen, margin + 48, [
    ["Period", `${date(Date.parse(statement.from))} to ${date(lastDay)} (UTC)`],
    ["Issued", `${date(issuedAt)}${issuedAt <= lastDay ? ", before the period has ended" : ""}`],
  ]);
  const from = party(pen, "From", payer, margin, 170);
  const to = party(pen, "Playtester", playtester, column, 170);
  const below = table(pen, addPage, Math.max(from, to) + 32, "Balance", balanceOf(statement));
  const games = statement.games.map(({ name, slots, amountCents }) => ({
    label: `${name}: ${plural(slots, "playtest")}`,
    cents: amountCents,
  }));
  if (games.length > 0) table(pen, addPage, below + 32, "Earned by game", games);
}

const balanceOf = (statement: StatementDocument["statement"]): Row[] => [
  { label: "At the beginning", cents: statement.beginCents },
  { label: "Earned", cents: statement.earnedCents },
  { label: "Payouts made", cents: -statement.paidCents },
  ...(statement.returnedCents > 0 ? [{ label: "Failed payouts, returned", cents: statement.returnedCents }] : []),
  { label: "At the end", cents: statement.endCents, bold: true },
  ...(statement.heldCents > 0 ? [{ label: "Held at the end: may come from card payments", cents: statement.heldCents }] : []),
];

/** Writes rows, on further pages where one is full. Returns the vertical position below them. */
function table(pen: PdfWriter, addPage: () => void, y: number, title: string, rows: readonly Row[]): number {
  let bottom = heading(pen, y > lowest - 60 ? nextPage(addPage) : y, title);
  for (const { label, cents, bold = false } of rows) {
    if (bottom > lowest) bottom = heading(pen, nextPage(addPage), title);
    pen.write(usd(cents), { right, y: bottom, bold });
    bottom = pen.write(label, { x: margin, y: bottom, width: 360, bold }) + 8;
  }
  pen.rule(margin, right, bottom);
  return bottom;
}

function nextPage(addPage: () => void): number {
  addPage();
  return margin;
}

function heading(pen: PdfWriter, y: number, title: string): number {
  pen.write(title, { x: margin, y, soft: true });
  pen.write("Amount (USD)", { right, y, soft: true });
  pen.rule(margin, right, y + 18);
  return y + 26;
}
