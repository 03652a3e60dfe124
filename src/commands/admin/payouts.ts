import { arg, type Context, define, flag } from "../../cli/define.ts";
import { type PayoutMethod, payoutMethods } from "../../contract/accounts/payout-methods.ts";
import { CliError, exitCodes, explained, Interrupted, partlyDone, usage } from "../../errors.ts";
import type { Outcome } from "../../io/output.ts";
import { plural, shellShown, usd } from "../../io/text.ts";
import { fileOf } from "./payout-files.ts";
import { userArg, userId } from "./users.ts";
import { batchView, payoutView } from "./view.ts";

const batchArg = () =>
  arg.id("Batch id", "listPayoutBatches", ({ total, createdAt }) => {
    const { payouts: count, amountCents } = total as { payouts: number; amountCents: number };
    return `${String(createdAt).slice(0, 10)}, ${plural(count, "payout")}, ${usd(amountCents)}`;
  });
const payoutArg = (status: "pending" | "completed") =>
  arg.id("Payout id", "listPayouts", ({ displayName, amountCents }) => `${displayName}, ${usd(amountCents as number)}`, {
    status,
  });

export const payouts = define({
  name: "payouts",
  aliases: ["payouts list"],
  operation: "listPayouts",
  query: "listPayouts",
  list: true,
  examples: ["playtest admin payouts --all --csv", "playtest admin payouts --status pending"],
  view: payoutView,
});

export const payoutBatches = define({
  name: "payouts batches",
  operation: "listPayoutBatches",
  list: true,
  examples: ["playtest admin payouts batches"],
  view: batchView,
});

export const payoutsShow = define({
  name: "payouts show",
  summary: "Show a batch and its payouts",
  operation: ["listPayouts", "getPayoutBatch"],
  list: true,
  args: { batch: batchArg() },
  examples: ["playtest admin payouts show 3aa0119c", "playtest admin payouts show 3aa0119c --all --csv"],
  async run({ args, range }, ctx) {
    if (ctx.out.format.kind === "auto") {
      const { total, pending, completed, failed } = (await ctx.api().getPayoutBatch({ params: { id: args.batch } })).batch;
      const part = ({ payouts: count, amountCents }: typeof total, what: string) => `${count} ${what} (${usd(amountCents)})`;
      ctx.out.note(
        `${plural(total.payouts, "payout")}, ${usd(total.amountCents)}: ${part(pending, "pending")}, ${part(completed, "completed")}, ${part(failed, "failed")}.`,
      );
    }
    return ctx.list("listPayouts", { query: { batch: args.batch } }, range, payoutView);
  },
});

const format = flag.choice(payoutMethods, "Kind of file, and of payouts in it");
const file = flag.text("Write a new file that only you can read", { value: "FILE" });

export const payoutsCreate = define({
  name: "payouts create",
  summary: "Record that a playtester was paid, or make a batch of pending payouts with --all",
  description:
    "With --all, makes one pending payout to each playtester who can be paid, of all that is available to them, in one step: nobody is paid twice, whoever else runs it. With --format, only those with that payout method are in it; --file then writes what your bank or PayPal needs. Say later what became of it: `payouts settle`.",
  operation: ["createPayout", "createPayoutBatch", "readPayoutInstructions", "listOwed"],
  asks: true,
  args: { user: { ...userArg("playtester"), id: { ...userArg("playtester").id, unless: ["all"] } } },
  flags: {
    amount: flag.field("createPayout", "amountCents", "Amount paid"),
    all: flag.toggle("Pay all playtesters who can be paid"),
    min: flag.field("createPayoutBatch", "minCents", "Only playtesters with at least this much available"),
    format,
    file,
  },
  examples: [
    "playtest admin payouts create pim@example.com --amount 40 --yes",
    "playtest admin payouts create --all --min 10 --yes",
    "playtest admin payouts create --all --format bank --file payouts.csv --yes",
  ],
  exits: [exitCodes.partial],
  async run({ args, flags }, ctx) {
    if (flags.all) return createBatch(ctx, flags);
    for (const name of ["min", "format", "file"] as const)
      if (flags[name] !== undefined) throw usage(`--${name} requires --all.`);
    if (flags.amount === undefined) throw usage("--amount is required.");
    await ctx.confirm(`Record a payout to ${args.user} for ${usd(flags.amount)}?`);
    const body = { userId: await userId(ctx, args.user), amountCents: flags.amount };
    return ctx.item(await ctx.api().createPayout({ body }), payoutView);
  },
});

const wrote = (path: string) => `Wrote ${path}. It contains payout details: delete it when the money is sent.`;

/** The file of payments. Says which of them do not have what their playtester entered. */
function textOf(ctx: Context, method: PayoutMethod, payments: Parameters<typeof fileOf>[1]): string {
  const { text, escaped } = fileOf(method, payments, ctx.flags.rawCells === true);
  if (escaped.length > 0)
    ctx.out.warn(
      `A spreadsheet would run a text in the file as a formula, so it begins with ': ${escaped.join(", ")}. To write it as it was entered, pass --raw-cells to \`playtest admin payouts file\`.`,
    );
  return text;
}

interface BatchFlags {
  amount: number | undefined;
  min: number | undefined;
  format: PayoutMethod | undefined;
  file: string | undefined;
}

/** What the playtesters whom a batch would pay have available now, in cents. */
async function payable(ctx: Context, minCents = 1, method?: PayoutMethod): Promise<number[]> {
  const found: number[] = [];
  for await (const { data } of ctx.pages("listOwed", {}, { all: true }))
    for (const { obstacle, availableCents, method: wanted } of data.owed)
      if (obstacle === null && availableCents >= minCents && (method === undefined || wanted === method))
        found.push(availableCents);
  return found;
}

function batchQuestion(cents: readonly number[]): string {
  if (cents.length === 0)
    throw new CliError("CONFLICT", exitCodes.conflict, "Nobody can be paid in this way now. No payout was made.", {
      hint: "To see why: `playtest admin owed`.",
    });
  const sum = cents.reduce((total, one) => total + one, 0);
  return `Make ${plural(cents.length, "pending payout")}, ${usd(sum)} in total: all that is available to each playtester who can be paid?`;
}

async function createBatch(ctx: Context, { amount, min, format: method, file: path }: BatchFlags): Promise<Outcome> {
  if (amount !== undefined) throw usage("--amount and --all cannot be used together.");
  if (path !== undefined && method === undefined) throw usage("--file requires --format.");
  await ctx.confirm(async () => batchQuestion(await payable(ctx, min, method)));
  await ctx.reserveSecret(path);
  const body = { ...(method !== undefined && { method }), ...(min !== undefined && { minCents: min }) };
  const data = await ctx.api().createPayoutBatch({ body });
  const { total } = data.batch;
  ctx.out.note(`Made ${plural(total.payouts, "pending payout")} of ${usd(total.amountCents)}.`);
  for (const said of skippedTexts(data.skipped)) ctx.out.note(said);
  const made = { kind: "item" as const, data, subject: data.batch, view: batchView };
  if (path === undefined || method === undefined) return made;
  try {
    const { payments } = await ctx.api().readPayoutInstructions({ params: { id: data.batch.id }, body: { method } });
    await ctx.secret(textOf(ctx, method, payments), path, data);
  } catch (error) {
    return { ...made, failure: withoutFile(error, `${data.batch.id} --format ${method} --file ${shellShown(path)}`) };
  }
  ctx.out.note(wrote(path));
  return made;
}

/** Why a batch that was made has no file. `words` are those that write it. */
function withoutFile(error: unknown, words: string): CliError | Interrupted {
  const cause = explained(error);
  if (cause instanceof Interrupted) return cause;
  if (!(cause instanceof CliError)) throw error;
  const hint = `Do not make the batch again. To write its file: \`playtest admin payouts file ${words}\`.`;
  return partlyDone(`The batch is made. Its file was not written: ${cause.message}`, hint);
}

const skipReasons = {
  belowMinimum: "less than the minimum available",
  noDetails: "no payout details",
  newDetails: "payout details that are still too new",
  suspended: "a suspended account",
  otherMethod: "another payout method",
} as const;

const skippedTexts = (skipped: Record<keyof typeof skipReasons, number>) =>
  (Object.keys(skipReasons) as (keyof typeof skipReasons)[])
    .filter((why) => skipped[why] > 0)
    .map((why) => `Not paid: ${plural(skipped[why], "playtester")} with ${skipReasons[why]}.`);

export const payoutsFile = define({
  name: "payouts file",
  summary: "Write the file for your bank or PayPal, of the pending payouts of a batch",
  description:
    "The payout details are those that the payouts were made to. Reading them is recorded in the audit log. Without --file, prints them.",
  operation: "readPayoutInstructions",
  args: { batch: batchArg() },
  flags: { format: { ...format, required: true }, file },
  examples: [
    "playtest admin payouts file 3aa0119c --format bank --file payouts.csv",
    "playtest admin payouts file 3aa0119c --format paypal --file paypal.csv",
  ],
  async run({ args, flags }, ctx) {
    await ctx.reserveSecret(flags.file);
    const method = flags.format!;
    const data = await ctx.api().readPayoutInstructions({ params: { id: args.batch }, body: { method } });
    if (data.payments.length === 0) throw usage(`The batch has no pending payouts by ${method}. No file was written.`);
    const printed = await ctx.secret(textOf(ctx, method, data.payments), flags.file, data);
    return flags.file === undefined ? printed : ctx.text(wrote(flags.file), { result: { file: flags.file } });
  },
});

export const payoutsPaid = define({
  name: "payouts paid",
  operation: "completePayout",
  risk: "write",
  args: { payout: payoutArg("pending") },
  examples: ["playtest admin payouts paid 3aa0119c"],
  view: payoutView,
});

export const payoutsFail = define({
  name: "payouts fail",
  summary: "Record that a payout failed; the amount is owed again",
  operation: "failPayout",
  risk: "write",
  args: { payout: arg.id("Payout id", "listPayouts", ({ displayName, status }) => `${displayName}, ${status}`) },
  flags: { failure: flag.text("Why it failed, shown to the playtester") },
  examples: ["playtest admin payouts fail 3aa0119c", "playtest admin payouts fail 3aa0119c --failure 'Account closed'"],
  run: async ({ args, flags: { failure } }, ctx) =>
    ctx.item(
      await ctx.api().failPayout({ params: { id: args.payout }, body: failure === undefined ? {} : { failure } }),
      payoutView,
    ),
});
