import { isAbsolute, join } from "node:path";
import { arg, type Context, define, flag } from "../../../cli/define.ts";
import { idsNamed, onlyGame } from "../../../cli/names.ts";
import type { Fault } from "../../../contract/bulk/columns.ts";
import {
  makePlan,
  notCovered,
  type Plan,
  type Planned,
  pays,
  planText,
  pricesOf,
  shapeOrder,
} from "../../../contract/bulk/plan.ts";
import { type Account, faultsOf, readOrders } from "../../../contract/bulk/read.ts";
import { type KnownOrders, type Playtest, settleRefs } from "../../../contract/bulk/refs.ts";
import type { Row } from "../../../contract/bulk/rows.ts";
import { bodyOf, type Earlier } from "../../../contract/bulk/send.ts";
import { parseRecords } from "../../../contract/files/records.ts";
import { shellQuote } from "../../../contract/text/shell.ts";
import { CliError, DryRun, exitCodes, tooExpensive, usage } from "../../../errors.ts";
import { duration, plural, usd } from "../../../io/text.ts";
import { fromEarlierOrder, unknownPrice } from "../../shared/earlier-price.ts";
import { requireFixedTimes, timeReader } from "../../shared/fixed-time.ts";
import { type Price, priceOrder, refuseMethod } from "../../shared/price.ts";
import { waysToPay } from "../../shared/spend.ts";
import { type BulkJournal, openBulkJournal } from "./journal.ts";
import { finish, planOutcome, rowFields } from "./result.ts";
import { type Sending, sendRows } from "./send.ts";

function refuse(faults: readonly Fault[], file: string) {
  if (faults.length === 0) return;
  const { message, details } = faultsOf(faults, file);
  throw new CliError("VALIDATION_ERROR", exitCodes.usage, message, { details });
}

const orFaults = (found: ReadonlyMap<string, string | CliError>) =>
  new Map(
    [...found].map(([word, id]) => [word, typeof id === "string" ? id : { message: [id.message, id.extra.hint].join(" ") }]),
  );

async function hasGame(ctx: Context, id: string): Promise<boolean> {
  try {
    await ctx.api().getGame({ params: { id } });
    return true;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return false;
    throw error;
  }
}

/** The account of the command's key, with the game and the zone that are given or set. */
const accountOf = (ctx: Context, { game, timeZone }: { game: string | undefined; timeZone: string | undefined }): Account => ({
  game: game ?? ctx.settings().get("gameId")?.value,
  onlyGame: () => onlyGame(ctx),
  games: async (words) => orFaults(await idsNamed(ctx, "listGames", words)),
  testers: async (words) => orFaults(await idsNamed(ctx, "listContacts", words)),
  async times(texts) {
    if (texts.length > 0) await requireFixedTimes(ctx, "Nothing was ordered.");
    return timeReader(ctx, texts, timeZone);
  },
  hasGame: (id) => hasGame(ctx, id),
});

/** The validated rows of the file. Throws one error that lists all invalid rows. The raw records are released on return. */
async function checkedRows(
  ctx: Context,
  { file, path }: { file: string; path: string },
  flags: { game: string | undefined; batch: string | undefined; timeZone: string | undefined; ignoreColumns: readonly string[] },
) {
  const records = await parseRecords(await ctx.io.readText(path, "FILE"), file);
  const given = {
    file,
    batch: flags.batch ?? "",
    ignore: flags.ignoreColumns,
    leaveOut: "leave it out with --ignore-columns",
    noGame: "no game is set for this directory",
  };
  const { rows, faults } = await readOrders(records, given, accountOf(ctx, flags));
  refuse(faults, file);
  return rows;
}

/** What the journal and the server know of the orders of earlier runs. */
const knownOrders = (ctx: Context, journal: BulkJournal): KnownOrders => ({
  journal,
  byRefs: async (refs) => (await ctx.api().offered("findPlaytestsByRef", { body: { refs } }))?.data.playtests,
  async byId(id) {
    try {
      return (await ctx.api().getPlaytest({ params: { id } })).playtest as Partial<Playtest>;
    } catch (error) {
      if (error instanceof CliError && error.exitCode === exitCodes.notFound) return undefined;
      throw error;
    }
  },
  warn: (message) => ctx.out.warn(message),
});

async function quotes(ctx: Context, rows: readonly Row[]): Promise<Map<string, Price>> {
  const prices = await pricesOf(rows, async (row) => {
    const shape = shapeOrder(row);
    const price = await priceOrder(ctx, row.game, shape, shape);
    if (price.costPerSlotCents === undefined) throw notPriced(row);
    return price;
  });
  if ([...prices.values()].some(({ estimated, totalCents }) => estimated && totalCents !== 0)) ctx.out.note(fromEarlierOrder);
  return prices;
}

/** Hundreds of orders are not placed at a price that nobody has seen. */
const notPriced = ({ line, game, order }: Row) =>
  tooExpensive(
    `Line ${line}: ${unknownPrice} Nothing was ordered.`,
    `To learn the price, place one: playtest playtests order ${shellQuote(game)} --duration-minutes ${order.durationMinutes} --player-count ${order.playerCount}`,
  );

/** `unsure`: how many of the rows may be ordered already. */
async function confirmPlan(ctx: Context, plan: Plan, unsure: number, maxCents: number | undefined) {
  const covered = plan.rows.length - plan.beyond;
  if (covered === 0)
    throw tooExpensive(`${planText(plan, { usd })} Nothing was ordered.`, (await waysToPay(ctx, plan.missing)).sentence);
  if (plan.beyond > 0) ctx.out.warn(`${notCovered(plan, usd)} To order the rest later, add it and run the same command again.`);
  const hours = plan.minutes > 0 ? ` (and ${plan.minutes} playtest minutes)` : "";
  const known = unsure === 0 ? "" : ` (${unsure} of them may be ordered already and are not charged twice)`;
  const what = `Order ${plural(covered, "playtest")}${known}${hours}`;
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
  args: { file: arg.text("CSV, JSON, YAML or NDJSON file; - for standard input") },
  flags: {
    plan: flag.toggle("Show what each row would cost, then stop"),
    game: flag.text("Game for rows without one (default: the game set with `games use`, else the only game)", { value: "GAME" }),
    batch: flag.text("Name of the batch; the same rows in another batch are new orders", { value: "NAME" }),
    ignoreColumns: flag.list("Columns that are not meant for the order, separated by commas", { value: "NAMES" }),
    timeZone: flag.text("Time zone of times in the column scheduledAt, such as Europe/Berlin (default that of your profile)", {
      value: "ZONE",
    }),
    pay: flag.choice(pays, "Payment method (default any)"),
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
    const given = await checkedRows(ctx, { file, path }, flags);
    const journal = await openBulkJournal(ctx, path, flags.journal, given);
    const { rows, faults, ordered, kept: keepsRefs } = await settleRefs(knownOrders(ctx, journal), given);
    refuse(faults, file);
    const earlier: Earlier = (row) => ordered.get(row.key) ?? journal.orderedAs(row);
    const open = rows.filter((row) => !earlier(row) && !journal.lost(row.key, keepsRefs));
    const unsure = new Set(open.map(({ key }) => key).filter(journal.isUnsure));
    const prices = await quotes(ctx, open);
    const byMethod = [...prices.values()].every(({ estimated }) => !estimated);
    refuseMethod(flags.pay ?? "any", byMethod);
    const plan = makePlan(open, prices, flags.pay ?? "any", { unsure });
    if (ctx.flags.dryRun) throw dryRun(ctx, plan.rows, keepsRefs);
    const planned = new Map(plan.rows.map((row) => [row.key, row]));
    const all = rows.map((row): Planned => planned.get(row.key) ?? { ...row, cents: 0, minutes: 0, payWith: "free" });
    if (flags.plan) return planOutcome(ctx, all, plan, { earlier, unsure });
    if (open.length > 0) await confirmPlan(ctx, plan, unsure.size, flags.maxCost);
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
