import { plural } from "../../../src/contract/text/plural.ts";
import { periodName } from "../../../src/contract/time/period.ts";
import { usd } from "../../lib/money.ts";
import { date, days, facts, parties, printPages, type Row, type Sheet, type Stationery, table, title } from "./pdf-page.ts";
import type { StatementDocument } from "./rules.ts";
import { isolated } from "./runs.ts";

/** Renders a playtester's statement of a month or year on A4 pages. The same document always gives the same bytes. */
export const printStatement = (document: StatementDocument, stationery: Stationery): Promise<Buffer> =>
  printPages(
    { title: `Statement of ${periodName(document.statement.period)}`, author: document.payer.name, createdAt: document.issuedAt },
    stationery,
    (sheet) => draw(sheet, document),
  );

const unit = "Amount (USD)";

function draw(sheet: Sheet, { statement, payer, playtester, issuedAt }: StatementDocument): void {
  const [from, to] = [Date.parse(statement.from), Date.parse(statement.to)];
  title(sheet, "Statement of earnings");
  facts(sheet, [
    ["Period", `${periodName(statement.period)}: ${days(from, to)}`],
    ["Issued", `${date(issuedAt)}${issuedAt < to ? ", before the period has ended" : ""}`],
  ]);
  parties(sheet, ["From", payer], ["Playtester", playtester]);
  table(sheet, { title: "Balance", unit }, balanceOf(statement));
  const games = statement.games.map(({ name, slots, amountCents }) => ({
    label: `${isolated(name)}: ${plural(slots, "playtest")}`,
    amount: usd(amountCents),
  }));
  const payouts = statement.payouts.map(payoutRow);
  if (payouts.length > 0) table(sheet, { title: "Payouts", unit }, payouts);
  if (games.length > 0) table(sheet, { title: "Earned by game", unit }, games);
}

type Payout = StatementDocument["statement"]["payouts"][number];

const row = (label: string, cents: number): Row => ({ label, amount: usd(cents) });

/** The reference is that of the bank statement, for those who compare. */
function payoutRow({ kind, at, reference, payoutId, paidTo, amountCents }: Payout): Row {
  const label = `${at.slice(0, 10)} ${reference ?? payoutId}`;
  const detail = kind === "returned" ? "Failed and returned to the balance" : paidTo !== null ? `To ${paidTo}` : undefined;
  return { label, detail, amount: usd(kind === "returned" ? -amountCents : amountCents) };
}

const balanceOf = (statement: StatementDocument["statement"]): Row[] => [
  row("At the beginning", statement.beginCents),
  row("Earned", statement.earnedCents),
  row("Less payouts", statement.paidCents),
  ...(statement.returnedCents > 0 ? [row("Failed payouts, returned", statement.returnedCents)] : []),
  { ...row("At the end", statement.endCents), bold: true },
  ...(statement.heldCents > 0 ? [row("Held at the end: may come from card payments", statement.heldCents)] : []),
];
