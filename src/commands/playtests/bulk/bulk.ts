import { isAbsolute, join } from "node:path";
import { arg, type Context, define, flag } from "../../../cli/define.ts";
import { CliError, DryRun, exitCodes, tooExpensive, usage } from "../../../errors.ts";
import { parseRecords } from "../../../io/files/records.ts";
import { duration, plural } from "../../../io/text.ts";
import { orderChecker } from "../../shared/order-body.ts";
import { type Price, priceOrder } from "../../shared/price.ts";
import { openBulkJournal } from "./journal.ts";
import { makePlan, type Plan, type Planned, shapeOf } from "./plan.ts";
import { finish, planOutcome, planText, rowFields } from "./result.ts";
import { type Fault, type Row, readRows } from "./rows.ts";
import { type Sending, sendRows } from "./send.ts";

const mostFaults = 100;

function refuse(faults: readonly Fault[], file: string) {
  if (faults.length === 0) return;
  const inOrder = [...faults].sort((a, b) => a.line - b.line);
  const details = inOrder.slice(0, mostFaults).map(({ line, field, message }) => ({ field: `line ${line}: ${field}`, message }));
  const more = faults.length > mostFaults ? ` The first ${mostFaults}:` : "";
  const message = `${file}: ${plural(faults.length, "fault")}; nothing was ordered.${more}`;
  throw new CliError("VALIDATION_ERROR", exitCodes.usage, message, { details });
}

/** Every game that is named must be there, before the first row is sent. */
async function gameFaults(ctx: Context, rows: readonly Row[]): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const game of new Set(rows.map((row) => row.game))) {
    try {
      await ctx.api().getGame({ params: { id: game } });
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
      const { line } = rows.find((row) => row.game === game)!;
      faults.push({ line, field: "game", message: `${game} is not one of your games` });
    }
  }
  return faults;
}

/** The rows of the file, or a refusal that names every fault. What was read is let go of here: there may be very many. */
async function checkedRows(
  ctx: Context,
  file: string,
  path: string,
  flags: { game?: string | undefined; batch?: string | undefined },
) {
  const { format, records } = await parseRecords(await ctx.io.readText(path, "FILE"), file);
  const { rows, faults } = readRows(records, {
    format,
    game: flags.game ?? ctx.settings().get("gameId")?.value,
    batch: flags.batch ?? "",
    check: await orderChecker(),
    resolveId: ctx.resolveId,
  });
  refuse(faults, file);
  if (rows.length === 0) throw usage(`${file} holds no orders.`);
  refuse(await gameFaults(ctx, rows), file);
  return rows;
}

/** One quote for each shape of row, not one for each row. */
async function pricesOf(ctx: Context, rows: readonly Row[]): Promise<Map<string, Price>> {
  const prices = new Map<string, Price>();
  for (const row of rows) {
    const { visibility, durationMinutes, playerCount } = row.order;
    const shape = { visibility, durationMinutes: durationMinutes as 30, playerCount, quantity: 1 };
    if (!prices.has(shapeOf(row))) prices.set(shapeOf(row), await priceOrder(ctx, row.game, shape, shape));
  }
  return prices;
}

async function ask(ctx: Context, plan: Plan, maxCents: number | undefined) {
  const reached = plan.rows.length - plan.beyond;
  if (reached === 0)
    throw tooExpensive(`${planText(plan)} Nothing was ordered.`, "Buy credit with `playtest billing credit add`.");
  if (plan.beyond > 0) ctx.out.warn(`The funds end ${plural(plan.beyond, "row")} early; a later run goes on there.`);
  const hours = plan.minutes > 0 ? ` (and ${plan.minutes} playtest minutes)` : "";
  const what = `Order ${plural(reached, "playtest")}${hours}`;
  if (plan.cents === 0 && plan.minutes > 0 && maxCents === undefined) return ctx.confirm(`${what}?`);
  await ctx.confirmSpend({ what, cents: plan.cents, balanceCents: plan.balanceCents, maxCents });
}

const dryRun = (ctx: Context, rows: readonly Planned[]) =>
  new DryRun(
    rows.map((row) => ({
      method: "POST",
      path: `${new URL(ctx.api().base).pathname}/games/${row.game}/playtests`,
      headers: { "idempotency-key": row.key },
      body: row.order,
      costCents: row.cents,
    })),
  );

export const bulk = define({
  name: "bulk",
  summary: "Order one playtest for each row of a file",
  description:
    "Columns are the fields of an order, plus `game` and, if wanted, `ref`; keysForTesters holds keys separated by spaces. Commas,\n" +
    "semicolons or tabs separate them, as spreadsheets save them; empty rows are none.\n" +
    "All rows are checked before the first is sent. A journal beside the file lets the same command go on after it was stopped,\n" +
    "and never orders a row twice; to order the same file anew, give another --batch.",
  args: { file: arg.text("CSV, YAML or NDJSON file; - is standard input") },
  flags: {
    plan: flag.toggle("Print what each row would cost, and stop"),
    game: flag.text("For rows that name no game; default the one `games use` set", { value: "ID" }),
    batch: flag.text("Name of this batch: the same rows under another name are new orders", { value: "NAME" }),
    pay: flag.choice(["any", "hours", "credit"], "What to pay with (default any)"),
    maxCost: flag.money("Spend no more than this in all"),
    concurrency: flag.integer("Orders at a time (default 8)", { min: 1, max: 64 }),
    journal: flag.text("Where the journal is (default beside the file)", { value: "PATH" }),
  },
  operation: ["createPlaytest", "quotePlaytest", "getGame"],
  examples: [
    "playtest playtests bulk orders.csv --plan",
    "playtest playtests bulk orders.csv --max-cost 500",
    "playtest playtests bulk orders.yaml --batch november --yes --ndjson",
  ],
  exits: [7, 11],
  async run({ args: { file }, flags }, ctx) {
    if (ctx.flags.idempotencyKey !== undefined) throw usage("--idempotency-key: each row has a key of its own.", "Use --batch.");
    (await import("../../../io/memory.ts")).keepMemorySmall();
    const path = file === "-" || isAbsolute(file) ? file : join(ctx.io.cwd(), file);
    const rows = await checkedRows(ctx, file, path, flags);
    const journal = await openBulkJournal(ctx, path, flags.journal);
    const open = rows.filter(({ key }) => !journal.ordered(key));
    const prices = await pricesOf(ctx, open);
    const plan = makePlan(open, prices, flags.pay ?? "any");
    if (ctx.flags.dryRun) throw dryRun(ctx, plan.rows);
    const planned = new Map(plan.rows.map((row) => [row.key, row]));
    const all = rows.map((row): Planned => planned.get(row.key) ?? { ...row, cents: 0, minutes: 0, payWith: "free" });
    if (flags.plan) return planOutcome(ctx, all, plan, journal);
    if (open.length > 0) await ask(ctx, plan, flags.maxCost);
    const byMethod = [...prices.values()].every(({ estimated }) => !estimated);
    const tally = await order(ctx, all, { journal, parallel: flags.concurrency ?? 8, maxCents: flags.maxCost, byMethod });
    return finish(ctx, all.length, tally, journal.path);
  },
});

/** Orders, and says how far it is. */
async function order(ctx: Context, rows: readonly Planned[], sending: Omit<Sending, "onRow">) {
  const progress = await ctx.progress();
  const started = ctx.now();
  const onRow: Sending["onRow"] = async (row, { done, failed }) => {
    const count = done.length + failed.length;
    const rate = (count / Math.max(1, ctx.now() - started)) * 1000;
    const left = rate > 0 ? `, ${duration(Math.ceil((rows.length - count) / rate))} left` : "";
    progress.update(`${count} of ${plural(rows.length, "order")}, ${rate.toFixed(0)}/s${left}`, count / rows.length);
    if (ctx.out.format.kind === "ndjson") await ctx.out.line({ type: "item", ...rowFields(row) });
  };
  try {
    return await sendRows(ctx, rows, { ...sending, onRow });
  } finally {
    progress.done();
    await sending.journal.close();
  }
}
