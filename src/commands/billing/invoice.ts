import { join, resolve } from "node:path";
import { arg, type Context, col, define, flag, prose, viewOf } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { usage } from "../../errors.ts";
import { makeFolder } from "../../io/files/folder.ts";
import { safePart } from "../../io/files/safe-name.ts";
import type { Outcome } from "../../io/output.ts";
import { shortId } from "../../io/text.ts";
import { fetchPdf, goesToStdout, writeWhole } from "../shared/pdf.ts";
import { listDone, partialFailure, several } from "../shared/several.ts";

type Payment = Data<"getPayment">["payment"];
type Invoice = Data<"listInvoices">["invoices"][number];

/** A document to download. Its kind is undefined before its payment was seen, and null on servers without extensions, which do not say it. */
interface Wanted {
  /** Of the payment, or of a credit note. */
  id: string;
  paymentId: string;
  path: string;
  kind: Invoice["kind"] | "order_confirmation" | null | undefined;
  number: string | null;
}

interface Saved {
  paymentId: string;
  kind: Wanted["kind"];
  number: string | null;
  file: string;
  bytes: number;
}

const view = viewOf<Saved>(["payment:paymentId", "kind", "number", prose("file"), col("size:bytes", "bytes")]);

export const invoice = define({
  name: "invoice",
  summary: "Download invoices and credit notes of payments as PDF",
  description:
    "An order that was paid with credit or hours gets a confirmation that is no invoice: it names the invoices of the payments behind it. A single document is written to standard output if that is a file or a pipe. Otherwise each is saved to a file named after its kind and number.",
  operation: ["getInvoice", "getPayment", "listPayments", "listInvoices", "getInvoiceFile"],
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
    all: flag.toggle("Download the documents of all payments, with credit notes"),
    since: flag.moment("Download the documents of payments since this time, and credit notes since then"),
    dir: flag.text("Directory for the files (default: the current one)", { value: "DIR" }),
  },
  exits: [11],
  examples: ["playtest billing invoice 7be02c11 > invoice.pdf", "playtest billing invoice --since 30d --dir invoices"],
  async run({ args, flags }, ctx) {
    const chosen = flags.all || flags.since !== undefined;
    if (chosen === args.payments.length > 0) throw usage("Pass payment ids, or select payments with --all or --since.");
    const toStdout = flags.dir === undefined && goesToStdout(ctx);
    if (!chosen && args.payments.length === 1 && toStdout) {
      await ctx.out.raw(await fetchDocument(ctx, unseen(args.payments[0]!)));
      return undefined;
    }
    const wanted = chosen ? await issuedSince(ctx, flags.since) : args.payments.map(unseen);
    return save(ctx, wanted, resolve(ctx.io.cwd(), flags.dir ?? "."));
  },
});

const unseen = (paymentId: string): Wanted => ({
  id: paymentId,
  paymentId,
  path: `/billing/payments/${encodeURIComponent(paymentId)}/invoice`,
  kind: undefined,
  number: null,
});

/** The document of a payment. A server without extensions does not say that there is one. */
const wantedOf = ({ id, document }: Payment): Wanted => ({
  ...unseen(id),
  kind: document?.kind ?? null,
  number: document?.number ?? null,
});

const hasDocument = ({ document, status }: Payment) => (document === undefined ? status === "completed" : document !== null);

const fetchDocument = (ctx: Context, { path, paymentId }: Wanted) => fetchPdf(ctx, path, `The invoice of payment ${paymentId}`);

async function issuedSince(ctx: Context, since: ((now: number) => number) | undefined): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  let isExtended = false;
  for await (const { data } of ctx.pages("listPayments", {}, { all: true })) {
    isExtended ||= data.payments.some(({ document }) => document !== undefined);
    const inRange = data.payments.filter(isSince(ctx, since, ({ createdAt }) => createdAt));
    wanted.push(...inRange.filter(hasDocument).map(wantedOf));
    if (inRange.length < data.payments.length) break;
  }
  return isExtended ? [...wanted, ...(await creditNotesSince(ctx, since))] : wanted;
}

/** Credit notes and their cancellations. */
async function creditNotesSince(ctx: Context, since: ((now: number) => number) | undefined): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for await (const { data } of ctx.pages("listInvoices", {}, { all: true })) {
    const inRange = data.invoices.filter(isSince(ctx, since, ({ issuedAt }) => issuedAt));
    for (const { id, paymentId, kind, number } of inRange.filter(({ kind }) => kind !== "invoice"))
      wanted.push({ id, paymentId, path: `/billing/invoices/${encodeURIComponent(id)}/file`, kind, number });
    if (inRange.length < data.invoices.length) break;
  }
  return wanted;
}

/** Ages count from the time on the server, which its reply tells: a sandbox may have moved it. */
const isSince =
  <T>(ctx: Context, since: ((now: number) => number) | undefined, timeOf: (item: T) => string) =>
  (item: T) =>
    Date.parse(timeOf(item)) >= (since?.(ctx.serverNow()) ?? Number.NEGATIVE_INFINITY);

/** Saves each document, and lists what was saved. */
async function save(ctx: Context, all: readonly Wanted[], directory: string): Promise<Outcome> {
  await makeFolder(directory);
  const wanted = new Map(all.map((one) => [one.id, one]));
  const progress = await ctx.progress();
  let count = 0;
  const results = await several(ctx, [...wanted.keys()], async (id) => {
    progress.update(`Downloading invoices, ${++count} of ${wanted.size}`);
    return saveOne(ctx, wanted.get(id)!, directory);
  }).finally(() => progress.done());
  const empty = wanted.size === 0 ? "No completed payments." : "No document was saved.";
  return listDone(ctx, "invoices", results, { ...view, empty }, partialFailure(results, "document", "saved"));
}

async function saveOne(ctx: Context, wanted: Wanted, directory: string): Promise<Saved> {
  const pdf = await fetchDocument(ctx, wanted);
  const { paymentId, kind, number } =
    wanted.kind === undefined ? wantedOf((await ctx.api().getPayment({ params: { id: wanted.paymentId } })).payment) : wanted;
  const file = join(directory, fileName({ paymentId, kind, number }));
  await writeWhole(file, pdf);
  return { paymentId, kind, number, file, bytes: pdf.length };
}

const fileName = ({ kind, number, paymentId }: Pick<Wanted, "kind" | "number" | "paymentId">) =>
  `${(kind ?? "invoice").replaceAll("_", "-")}-${safePart(number ?? shortId(paymentId))}.pdf`;
