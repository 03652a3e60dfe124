import { type Context, col, columnsOf, prose, type Row, viewOf } from "../../../cli/define.ts";
import { neededText, type Plan, type Planned, planText, type Shortfall } from "../../../contract/bulk/plan.ts";
import { countsOf, countsText, type Earlier } from "../../../contract/bulk/send.ts";
import { CliError, partlyDone, tooExpensive } from "../../../errors.ts";
import type { Outcome } from "../../../io/output.ts";
import { plural, usd } from "../../../io/text.ts";
import { conclude, isInteractive } from "../../shared/several.ts";
import { waysToPay } from "../../shared/spend.ts";
import type { Done, Failure, Tally } from "./send.ts";

/** Output of a bulk order: its plan and its result. */

type Planning = ReturnType<typeof fieldsOf>;

const rowColumns = columnsOf<Planning>(["line", "ref", col("game", "id")]);
const costColumns = columnsOf<Planning>(["slots", "cost:cents", "minutes"]);

const view = viewOf<Planning & Row<"status" | "message"> & Partial<Row<"playtestId" | "paidWith">>>([
  ...rowColumns,
  "playtest:playtestId",
  "status",
  ...costColumns,
  "paid with:paidWith",
  prose("message"),
]);

const planView = viewOf<Planning & Row<"status" | "payWith">>([
  ...rowColumns,
  col("status", "text"),
  ...costColumns,
  "pay with:payWith",
]);

const fieldsOf = ({ line, ref, game, order, cents, minutes }: Planned) => ({
  line,
  ref: ref ?? null,
  game,
  slots: order.quantity,
  cents,
  minutes,
});

interface EarlierRows {
  earlier: Earlier;
  /** The keys of rows that may be ordered already. */
  unsure: ReadonlySet<string>;
}

const mayBeOrdered = (rows: number) =>
  `${plural(rows, "row")} may be ordered already by a run that was interrupted. What was ordered is not charged twice.`;

export async function planOutcome(
  ctx: Context,
  all: readonly Planned[],
  plan: Plan,
  { earlier, unsure }: EarlierRows,
): Promise<Outcome> {
  const rows = all.map((row) => {
    if (earlier(row)) return { ...fieldsOf(row), status: "ordered", payWith: null };
    if (unsure.has(row.key)) return { ...fieldsOf(row), status: "outcome unknown", payWith: row.payWith ?? null };
    return {
      ...fieldsOf(row),
      status: row.payWith === undefined ? "insufficient funds" : "planned",
      payWith: row.payWith ?? null,
    };
  });
  const { cents, minutes, slots, beyond, missing, balanceCents, minutesAvailable } = plan;
  const result = {
    rows,
    slots,
    cents,
    minutes,
    beyond,
    missingCents: missing.cents ?? 0,
    missingMinutes: missing.minutes ?? 0,
    balanceCents: balanceCents ?? null,
    minutesAvailable: minutesAvailable ?? null,
  };
  const remedy = beyond > 0 ? ` ${(await waysToPay(ctx, missing)).sentence}` : "";
  ctx.out.note(`${planText(plan, { usd, withoutPayments: ctx.withoutPayments() })}${remedy}`);
  if (unsure.size > 0) ctx.out.note(mayBeOrdered(unsure.size));
  const { kind } = ctx.out.format;
  return kind === "json" || kind === "jq" || kind === "ndjson" ? ctx.item({ result }) : ctx.rows("result", rows, planView);
}

const resume = "Run the same command again to resume.";

/** The error of a bulk order in which not every row was ordered. */
async function failureOf(ctx: Context, tally: Tally, left: number, missing: Shortfall): Promise<CliError | undefined> {
  const { stopped, failed, done } = tally;
  if (stopped instanceof CliError)
    return new CliError(stopped.code, stopped.exitCode, stopped.message, { ...stopped.extra, hint: resume });
  if (stopped === "limit") return tooExpensive(`The --max-cost limit was reached with ${plural(left, "row")} left.`, resume);
  if (stopped === "funds")
    return tooExpensive(
      `The funds ran out with ${plural(left, "row")} left${neededText(missing, usd)}.`,
      `${(await waysToPay(ctx, missing)).sentence} ${resume}`,
    );
  if (failed.length === 0) return undefined;
  return partlyDone(
    `${plural(done.length, "row")} ordered, ${failed.length} failed.`,
    "Run the same command again to retry only the failed rows.",
  );
}

/** The output fields of a row with its outcome. */
export function rowFields(outcome: Done | Failure) {
  if ("error" in outcome) {
    const { code, message, exitCode } = outcome.error;
    return { ...fieldsOf(outcome.row), cents: 0, minutes: 0, status: "failed", code, message, exitCode };
  }
  const { row, ...rest } = outcome;
  return { ...fieldsOf(row), ...rest, message: rest.skipped ? "already ordered by an earlier run" : "" };
}

export async function finish(
  ctx: Context,
  count: number,
  tally: Tally,
  { journal, missing }: { journal: string; missing: Shortfall },
) {
  const counts = countsOf(count, tally);
  const orders = tally.done.map(rowFields).sort((a, b) => a.line - b.line);
  const failures = tally.failed.map(rowFields);
  const result = { ...counts, journal };
  for (const { line, message } of failures) ctx.out.warn(`line ${line}: ${message}`);
  const text = countsText(counts, { usd, withoutPayments: ctx.withoutPayments() });
  if (ctx.out.format.kind === "auto") ctx.out.note(text);
  if (tally.stopped === "signal") ctx.out.note(resume);
  const rows = [...orders, ...failures];
  const failure = await failureOf(ctx, tally, counts.left, missing);
  // On a terminal too, because this is where a person finds the playtest of a ref.
  if (isInteractive(ctx)) return { ...ctx.rows("result", rows, { ...view, empty: "" }), failure };
  const whole = ctx.out.format.kind === "ndjson" ? result : { ...result, orders, failures };
  return conclude(ctx, whole, rows, view, failure);
}
