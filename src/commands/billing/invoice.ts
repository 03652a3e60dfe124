import { join, resolve } from "node:path";
import { arg, type Context, col, define, flag, prose } from "../../cli/define.ts";
import { CliError, partlyDone, usage } from "../../errors.ts";
import { makeFolder } from "../../io/files/folder.ts";
import { safePart } from "../../io/files/safe-name.ts";
import { plural, shortId } from "../../io/text.ts";
import { fetchPdf, goesToStdout, writeWhole } from "../shared/pdf.ts";

interface Saved {
  paymentId: string;
  file: string;
  bytes: number;
}

const view = { columns: [col("payment", "paymentId", "id"), prose("file", "file"), col("size", "bytes", "bytes")] } as const;

export const invoice = define({
  name: "invoice",
  summary: "Download invoices of completed payments as PDF",
  description:
    "A single invoice is written to standard output if that is a file or a pipe. Otherwise each invoice is saved to a file named after its payment.",
  operation: ["getInvoice", "listPayments"],
  args: {
    payments: {
      ...arg.ids("Payment ids", {
        pick: "listPayments",
        label: ({ status, createdAt }) => `${status}, ${createdAt}`,
        unless: ["all", "since"],
      }),
      optional: true,
    },
  },
  flags: {
    all: flag.toggle("Download the invoices of all completed payments"),
    since: flag.moment("Download the invoices of payments since this time"),
    dir: flag.text("Directory for the files (default: the current one)", { value: "DIR" }),
  },
  exits: [11],
  examples: ["playtest billing invoice 7be02c11 > invoice.pdf", "playtest billing invoice --since 30d --dir invoices"],
  async run({ args, flags }, ctx) {
    const chosen = flags.all || flags.since !== undefined;
    if (chosen === args.payments.length > 0) throw usage("Pass payment ids, or select payments with --all or --since.");
    const ids = chosen ? await completedSince(ctx, flags.since) : args.payments;
    const toStdout = flags.dir === undefined && goesToStdout(ctx);
    if (!chosen && ids.length === 1 && toStdout) {
      await ctx.out.raw(await fetchInvoice(ctx, ids[0]!));
      return undefined;
    }
    return save(ctx, ids, resolve(ctx.io.cwd(), flags.dir ?? "."));
  },
});

const fetchInvoice = (ctx: Context, id: string) =>
  fetchPdf(ctx, `/billing/payments/${encodeURIComponent(id)}/invoice`, `The invoice of payment ${id}`);

async function completedSince(ctx: Context, since: ((now: number) => number) | undefined): Promise<string[]> {
  const ids: string[] = [];
  for await (const { data } of ctx.pages("listPayments", {}, { all: true })) {
    // Ages count from the time on the server, which its reply tells: a sandbox may have moved it.
    const from = since?.(ctx.serverNow()) ?? Number.NEGATIVE_INFINITY;
    const inRange = data.payments.filter(({ createdAt }) => Date.parse(createdAt) >= from);
    ids.push(...inRange.filter(({ status }) => status === "completed").map(({ id }) => id));
    if (inRange.length < data.payments.length) break;
  }
  return ids;
}

/** Saves each invoice; a failure is reported and does not stop the others. */
async function save(ctx: Context, ids: readonly string[], directory: string) {
  await makeFolder(directory);
  const saved: Saved[] = [];
  const failed: CliError[] = [];
  const progress = await ctx.progress();
  for (const paymentId of ids) {
    progress.update(`Downloading invoices, ${saved.length + failed.length + 1} of ${ids.length}`);
    try {
      const pdf = await fetchInvoice(ctx, paymentId);
      const file = join(directory, `invoice-${safePart(shortId(paymentId))}.pdf`);
      await writeWhole(file, pdf);
      saved.push({ paymentId, file, bytes: pdf.length });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (ids.length === 1) throw error;
      failed.push(error);
      ctx.out.warn(`${paymentId}: ${error.message}`);
    }
  }
  progress.done();
  if (failed.length === 0) return ctx.rows("invoices", saved, { ...view, empty: "No completed payments." });
  await ctx.out.emit(ctx.rows("invoices", saved, view));
  throw partlyDone(`${plural(failed.length, "invoice")} of ${ids.length} could not be downloaded.`);
}
