import { plural } from "../../../src/contract/text/plural.ts";
import { usd } from "../../lib/money.ts";
import type { Fonts } from "./fonts.ts";
import { date, days, facts, parties, printPages, type Row, type Sheet, table, title } from "./pdf-page.ts";
import type { StatementDocument } from "./rules.ts";

/** Renders a playtester's statement of a month or year on A4 pages. The same document always gives the same bytes. */
export const printStatement = (document: StatementDocument, fonts: Fonts): Promise<Buffer> =>
  printPages(
    { title: `Statement ${document.statement.period}`, author: document.payer.name, createdAt: document.issuedAt },
    fonts,
    (sheet) => draw(sheet, document),
  );

const unit = "Amount (USD)";

function draw(sheet: Sheet, { statement, payer, playtester, issuedAt }: StatementDocument): void {
  const [from, to] = [Date.parse(statement.from), Date.parse(statement.to)];
  title(sheet, "Statement of earnings");
  facts(sheet, [
    ["Period", days(from, to)],
    ["Issued", `${date(issuedAt)}${issuedAt < to ? ", before the period has ended" : ""}`],
  ]);
  parties(sheet, ["From", payer], ["Playtester", playtester]);
  table(sheet, { title: "Balance", unit }, balanceOf(statement));
  const games = statement.games.map(({ name, slots, amountCents }) => ({
    label: `${name}: ${plural(slots, "playtest")}`,
    amount: usd(amountCents),
  }));
  if (games.length > 0) table(sheet, { title: "Earned by game", unit }, games);
}

const row = (label: string, cents: number): Row => ({ label, amount: usd(cents) });

const balanceOf = (statement: StatementDocument["statement"]): Row[] => [
  row("At the beginning", statement.beginCents),
  row("Earned", statement.earnedCents),
  row("Payouts made", -statement.paidCents),
  ...(statement.returnedCents > 0 ? [row("Failed payouts, returned", statement.returnedCents)] : []),
  { ...row("At the end", statement.endCents), bold: true },
  ...(statement.heldCents > 0 ? [row("Held at the end: may come from card payments", statement.heldCents)] : []),
];
