import { isAbsolute, join } from "node:path";
import { arg, type Context, define, flag } from "../../../cli/define.ts";
import { idsNamed, onlyGame } from "../../../cli/names.ts";
import { shellQuote } from "../../../contract/text/shell.ts";
import { CliError, DryRun, exitCodes, tooExpensive, usage } from "../../../errors.ts";
import { type FileRecord, parseRecords } from "../../../io/files/records.ts";
import { duration, plural } from "../../../io/text.ts";
import { fromEarlierOrder, unknownPrice } from "../../shared/earlier-price.ts";
import { requireFixedTimes, timeReader } from "../../shared/fixed-time.ts";
import { orderChecker } from "../../shared/order-body.ts";
import { type Price, priceOrder, refuseMethod } from "../../shared/price.ts";
import { waysToPay } from "../../shared/spend.ts";
import { type Fault, understand } from "./columns.ts";
import { openBulkJournal } from "./journal.ts";
import { makePlan, type Plan, type Planned, shapeOf } from "./plan.ts";
import { settleRefs } from "./refs.ts";
import { finish, notCovered, planOutcome, planText, rowFields } from "./result.ts";
import { type Row, readRows, wordsIn } from "./rows.ts";
import { bodyOf, type Earlier, type Sending, sendRows } from "./send.ts";

const mostFaults = 100;

function refuse(faults: readonly Fault[], file: string) {
  if (faults.length === 0) return;
  const inOrder = [...faults].sort((a, b) => a.line - b.line);
  const details = inOrder.slice(0, mostFaults).map(({ line, field, message }) => ({ field: `line ${line}: ${field}`, message }));
  const more = faults.length > mostFaults ? ` The first ${mostFaults}:` : "";
  const message = `${file} has ${plural(faults.length, "error")}. Nothing was ordered.${more}`;
  throw new CliError("VALIDATION_ERROR", exitCodes.usage, message, { details });
}

const idOrFault = (found: string | CliError) =>
  typeof found === "string" ? found : { message: [found.message, found.extra.hint].join(" ") };

/** The game for rows without one: given, or set for this directory, or the only one. */
async function gameForRows(ctx: Context, records: readonly FileRecord[], given: string | undefined): Promise<string | undefined> {
  const set = given ?? ctx.settings().get("gameId")?.value;
  if (set !== undefined || wordsIn(records, "game").size > 0) return set;
  return onlyGame(ctx);
}

/** Errors for games that do not exist. */
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

/** The validated rows of the file. Throws one error that lists all invalid rows. The raw records are released on return. */
async function checkedRows(
  ctx: Context,
  file: string,
  path: string,
  flags: {
    game?: string | undefined;
    batch?: string | undefined;
    timeZone: string | undefined;
    ignoreColumns: readonly string[];
  },
) {
  const { format, records: read } = await parseRecords(await ctx.io.readText(path, "FILE"), file);
  const { records, faults: unknown } = understand(read, { file, ignore: flags.ignoreColumns });
  const game = await gameForRows(ctx, records, flags.game);
  const games = await idsNamed(ctx, "listGames", [...wordsIn(records, "game"), ...(game === undefined ? [] : [game])]);
  const testers = await idsNamed(ctx, "listContacts", wordsIn(records, "targetedPlaytesterId"));
  const times = [...wordsIn(records, "scheduledAt")];
  if (times.length > 0) await requireFixedTimes(ctx, "Nothing was ordered.");
  const { rows, faults } = readRows(records, {
    format,
    game,
    batch: flags.batch ?? "",
    check: await orderChecker(),
    gameId: (word) => idOrFault(games.get(word)!),
    testerId: (word) => idOrFault(testers.get(word)!),
    time: await timeReader(ctx, times, flags.timeZone),
  });
  refuse([...unknown, ...faults], file);
  if (rows.length === 0) throw usage(`${file} contains no orders.`);
  refuse(await gameFaults(ctx, rows), file);
  return rows;
}

/** Gets one quote for each distinct kind of order, instead of one for each row. */
async function pricesOf(ctx: Context, rows: readonly Row[]): Promise<Map<string, Price>> {
  const prices = new Map<string, Price>();
  for (const row of rows) {
    const { visibility, durationMinutes, playerCount } = row.order;
    const shape = { visibility, durationMinutes: durationMinutes as 30, playerCount, quantity: 1 };
    if (prices.has(shapeOf(row))) continue;
    const price = await priceOrder(ctx, row.game, shape, shape);
    if (price.costPerSlotCents === undefined) throw notPriced(row);
    prices.set(shapeOf(row), price);
  }
  if ([...prices.values()].some(({ estimated, totalCents }) => estimated && totalCents !== 0)) ctx.out.note(fromEarlierOrder);
  return prices;
}

/** Hundreds of orders are not placed at a price that nobody has seen. */
const notPriced = ({ line, game, order }: Row) =>
  tooExpensive(
    `Line ${line}: ${unknownPrice} Nothing was ordered.`,
    `To learn the price, place one: playtest playtests order ${shellQuote(game)} --duration-minutes ${order.durationMinutes} --player-count ${order.playerCount}`,
  );

async function confirmPlan(ctx: Context, plan: Plan, maxCents: number | undefined) {
  const covered = plan.rows.length - plan.beyond;
  if (covered === 0) throw tooExpensive(`${planText(plan)} Nothing was ordered.`, (await waysToPay(ctx, plan.missing)).sentence);
  if (plan.beyond > 0) ctx.out.warn(`${notCovered(plan)} To order the rest later, add it and run the same command again.`);
  const hours = plan.minutes > 0 ? ` (and ${plan.minutes} playtest minutes)` : "";
  const what = `Order ${plural(covered, "playtest")}${hours}`;
  if (plan.cents === 0 && plan.minutes > 0 && maxCents === undefined) return ctx.confirm(`${what}?`);
  await ctx.confirmSpend({ what, cents: plan.cents, balanceCents: plan.balanceCents, maxCents });
}

const dryRun = (ctx: Context, rows: readonly Planned[], keepsRefs: boolean) =>
  new DryRun(
    rows.map((row) => ({
      method: "POST",
      path: `${new URL(ctx.api().base).pathname}/games/${row.game}/playtests`,
      headers: { "idempotency-key": row.key },
      body: bodyOf(row, keepsRefs),
      costCents: row.cents,
    })),
  );

export const bulk = define({
  name: "bulk",
  summary: "Order a playtest for each row of a file",
  description:
    "The columns are the fields of an order, plus `game` (id or name). Their names may be written in any case and with spaces, and common " +
    "ones such as qty, minutes and notes are understood; an unknown column is an error unless --ignore-columns names it or it begins with #. " +
    "In the column keysForTesters, separate keys with spaces. A CSV file may use commas, semicolons, tabs or |; empty rows are skipped. " +
    "All rows are validated before the first order is sent. A row with a `ref` is ordered once, from whatever file or computer; if it was " +
    "changed since, nothing is ordered. A journal beside the file records what was ordered, so that the same " +
    "command resumes after an interruption and never orders a row twice. To order the same file again, pass a different --batch.",
  args: { file: arg.text("CSV, YAML or NDJSON file; - for standard input") },
  flags: {
    plan: flag.toggle("Show what each row would cost, then stop"),
    game: flag.text("Game for rows without one (default: the game set with `games use`, else the only game)", { value: "GAME" }),
    batch: flag.text("Name of the batch; the same rows in another batch are new orders", { value: "NAME" }),
    ignoreColumns: flag.list("Columns that are not meant for the order, separated by commas", { value: "NAMES" }),
    timeZone: flag.text("Time zone of times in the column scheduledAt, such as Europe/Berlin (default that of your profile)", {
      value: "ZONE",
    }),
    pay: flag.choice(["any", "hours", "credit"], "Payment method (default any)"),
    maxCost: flag.money("Maximum total cost"),
    concurrency: flag.integer("Maximum number of orders in parallel (default 8)", { min: 1, max: 64 }),
    journal: flag.text("Path of the journal (default: beside the file)", { value: "PATH" }),
  },
  operation: ["createPlaytest", "findPlaytestsByRef", "quotePlaytest", "getGame"],
  examples: [
    "playtest playtests bulk orders.csv --plan",
    "playtest playtests bulk orders.csv --max-cost 500",
    "playtest playtests bulk orders.yaml --batch november --yes --ndjson",
  ],
  exits: [7, 11],
  async run({ args: { file }, flags }, ctx) {
    if (ctx.flags.idempotencyKey !== undefined)
      throw usage("--idempotency-key cannot be used here, because each row has its own key.", "Use --batch instead.");
    (await import("../../../io/memory.ts")).keepMemorySmall();
    const path = file === "-" || isAbsolute(file) ? file : join(ctx.io.cwd(), file);
    const given = await checkedRows(ctx, file, path, flags);
    const journal = await openBulkJournal(ctx, path, flags.journal, given);
    const { rows, faults, ordered, kept: keepsRefs } = await settleRefs(ctx, given, journal);
    refuse(faults, file);
    const earlier: Earlier = (row) => ordered.get(row.key) ?? journal.orderedAs(row);
    const open = rows.filter((row) => !earlier(row));
    const prices = await pricesOf(ctx, open);
    const byMethod = [...prices.values()].every(({ estimated }) => !estimated);
    refuseMethod(flags.pay ?? "any", byMethod);
    const plan = makePlan(open, prices, flags.pay ?? "any");
    if (ctx.flags.dryRun) throw dryRun(ctx, plan.rows, keepsRefs);
    const planned = new Map(plan.rows.map((row) => [row.key, row]));
    const all = rows.map((row): Planned => planned.get(row.key) ?? { ...row, cents: 0, minutes: 0, payWith: "free" });
    if (flags.plan) return planOutcome(ctx, all, plan, earlier);
    if (open.length > 0) await confirmPlan(ctx, plan, flags.maxCost);
    const parallel = flags.concurrency ?? 8;
    const tally = await order(ctx, all, { journal, earlier, keepsRefs, parallel, maxCents: flags.maxCost, byMethod });
    return finish(ctx, all.length, tally, { journal: journal.path, missing: plan.missing });
  },
});

/** Places the orders and shows the progress. */
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
