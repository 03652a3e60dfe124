import { type Context, col, columnsOf, prose, type Row, viewOf } from "../../../cli/define.ts";
import { CliError, partlyDone, tooExpensive } from "../../../errors.ts";
import type { Outcome } from "../../../io/output.ts";
import { plural, usd } from "../../../io/text.ts";
import type { Shortfall } from "../../shared/price.ts";
import { conclude, isInteractive } from "../../shared/several.ts";
import { waysToPay } from "../../shared/spend.ts";
import type { Plan, Planned } from "./plan.ts";
import type { Done, Earlier, Failure, Tally } from "./send.ts";

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

/** What of credit and playtest minutes, whichever is not zero. */
const sumText = (cents: number, minutes: number) =>
  [...(cents > 0 || minutes === 0 ? [usd(cents)] : []), ...(minutes > 0 ? [`${minutes} playtest minutes`] : [])].join(" and ");

const neededText = ({ cents, minutes }: Pick<Plan, "missing">["missing"]) =>
  cents === undefined && minutes === undefined
    ? ""
    : `: ${minutes === undefined ? `${usd(cents!)} more credit is` : `${minutes} more playtest minutes are`} needed`;

/** Which rows the funds do not cover, what they cost, and how much is missing. */
export const notCovered = ({ beyondCents, beyondMinutes, missing }: Plan) =>
  `${missing.reason} (${sumText(beyondCents, beyondMinutes)})${neededText(missing)}.`;

/** A plan that costs nothing says nothing about money where the server runs without payments. */
export function planText(plan: Plan, withoutPayments = false): string {
  const { rows, slots, beyond, balanceCents } = plan;
  const [cents, minutes] = [plan.cents + plan.beyondCents, plan.minutes + plan.beyondMinutes];
  if (withoutPayments && cents === 0 && minutes === 0) return `${plural(rows.length, "order")}, ${plural(slots, "slot")}.`;
  const balance = balanceCents === undefined ? "" : `; the balance is ${usd(balanceCents)}`;
  const shortage = beyond > 0 ? ` ${notCovered(plan)}` : "";
  return `${plural(rows.length, "order")}, ${plural(slots, "slot")}: ${sumText(cents, minutes)}${balance}.${shortage}`;
}

export async function planOutcome(ctx: Context, all: readonly Planned[], plan: Plan, earlier: Earlier): Promise<Outcome> {
  const rows = all.map((row) => {
    if (earlier(row)) return { ...fieldsOf(row), status: "ordered", payWith: null };
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
  ctx.out.note(`${planText(plan, ctx.withoutPayments())}${remedy}`);
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
      `The funds ran out with ${plural(left, "row")} left${neededText(missing)}.`,
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
  const { row, ...rest } = outcome;
  if ("code" in rest) return { ...fieldsOf(row), cents: 0, minutes: 0, status: "failed", ...rest };
  return { ...fieldsOf(row), ...rest, message: rest.skipped ? "already ordered by an earlier run" : "" };
}

export async function finish(
  ctx: Context,
  count: number,
  tally: Tally,
  { journal, missing }: { journal: string; missing: Shortfall },
) {
  const fresh = tally.done.filter(({ skipped }) => !skipped);
  const left = count - tally.done.length - tally.failed.length;
  const orders = tally.done.map(rowFields).sort((a, b) => a.line - b.line);
  const failures = tally.failed.map(rowFields);
  const sum = (name: "cents" | "minutes") => fresh.reduce((total, order) => total + order[name], 0);
  const result = {
    ordered: fresh.length,
    skipped: tally.done.length - fresh.length,
    failed: failures.length,
    left,
    spentCents: sum("cents"),
    spentMinutes: sum("minutes"),
    journal,
  };
  for (const { line, message } of tally.failed.map(rowFields)) ctx.out.warn(`line ${line}: ${message}`);
  const minutes = result.spentMinutes > 0 ? ` and ${result.spentMinutes} playtest minutes` : "";
  const counts = [`${result.skipped} already ordered`, `${result.failed} failed`, `${left} left`].join(", ");
  const isFree = ctx.withoutPayments() && result.spentCents === 0 && result.spentMinutes === 0;
  const price = isFree ? "" : ` for ${usd(result.spentCents)}${minutes}`;
  const text = `${plural(result.ordered, "playtest")} ordered${price}; ${counts}.`;
  if (ctx.out.format.kind === "auto") ctx.out.note(text);
  if (tally.stopped === "signal") ctx.out.note(resume);
  const rows = [...orders, ...failures];
  const failure = await failureOf(ctx, tally, left, missing);
  // On a terminal too, because this is where a person finds the playtest of a ref.
  if (isInteractive(ctx)) return { ...ctx.rows("result", rows, { ...view, empty: "" }), failure };
  const whole = ctx.out.format.kind === "ndjson" ? result : { ...result, orders, failures };
  return conclude(ctx, whole, rows, view, failure);
}
