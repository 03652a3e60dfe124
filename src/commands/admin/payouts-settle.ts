import { resolve } from "node:path";
import type { Data } from "../../api/client.ts";
import { arg, define, flag } from "../../cli/define.ts";
import { parseRecords } from "../../contract/files/records.ts";
import { exitCodes, partlyDone } from "../../errors.ts";
import { plural, usd } from "../../io/text.ts";
import { inParts } from "../shared/parts.ts";
import { type ReturnedRow, returnedRow } from "./payout-files.ts";
import { settledView } from "./view.ts";

type Result = Data<"settlePayoutBatch">["results"][number];
type Outcome = Result["outcome"] | "pending";
type Settled = Omit<Result, "outcome"> & { outcome: Outcome; line: number | undefined };
type DecidedRow = ReturnedRow & { status: "paid" | "failed" };

const isDecided = (row: ReturnedRow): row is DecidedRow => row.status !== "pending";

/** Rows per request. */
const chunk = 500;

/** The first row of each reference, and the others: the server would see only those that come in one request with the first. */
function withoutRepeated(rows: readonly ReturnedRow[]) {
  const seen = new Set<string>();
  const isFirst = ({ reference }: ReturnedRow) => !seen.has(reference.toLowerCase()) && seen.add(reference.toLowerCase());
  const first = rows.filter(isFirst);
  const kept = new Set(first);
  return { first, repeated: rows.filter((row) => !kept.has(row)) };
}

const outcomes: Record<Outcome, string> = {
  paid: "paid",
  failed: "failed, owed again",
  already_paid: "was recorded as paid before",
  already_failed: "was recorded as failed before",
  failed_before: "not recorded: failed before, and the file says paid",
  amount_differs: "not recorded: the amount differs",
  pending: "still pending",
  repeated: "not recorded: repeated in the file",
  unknown: "not recorded: not in this batch",
};
const refused: readonly Outcome[] = ["failed_before", "amount_differs", "repeated", "unknown"];

export const payoutsSettle = define({
  name: "payouts settle",
  summary: "Record which payouts of a batch were paid and which failed, from a returned file",
  description:
    "The file is CSV with the columns `reference` and `status` (paid, completed or success; failed, returned, rejected, denied or refused; rows that are still pending, processing or unclaimed change nothing), and if you like `amount`, which is compared, and `reason`, which the playtester reads. Failed payouts are owed again. It is safe to repeat. Exits with 11 if rows were not recorded.",
  operation: "settlePayoutBatch",
  risk: "write",
  args: { batch: arg.id("Batch id", "listPayoutBatches", "createdAt") },
  flags: {
    file: {
      ...flag.text("File that says what became of the payouts; - reads standard input", { value: "FILE" }),
      required: true,
    },
  },
  examples: ["playtest admin payouts settle 3aa0119c --file returned.csv"],
  exits: [exitCodes.partial],
  async run({ args, flags }, ctx) {
    const path = flags.file ?? "";
    const found = path === "-" ? path : resolve(ctx.io.cwd(), path);
    const { records } = await parseRecords(await ctx.io.readText(found, "--file"), path);
    const rows = records.map((record) => returnedRow(record, path));
    const results: Settled[] = [];
    let pending: Data<"settlePayoutBatch">["batch"]["pending"] | undefined;
    const { first, repeated } = withoutRepeated(rows);
    const decided = first.filter(isDecided);
    const replies = await inParts(ctx, decided, chunk, (part) => {
      const sent = part.map(({ line: _, ...row }) => row);
      return ctx.api().settlePayoutBatch({ params: { id: args.batch }, body: { rows: sent } });
    });
    for (const { part, reply } of replies) {
      results.push(...reply.results.map((result, at) => ({ line: part[at]?.line, ...result })));
      pending = reply.batch.pending;
    }
    const unsent = (rows: readonly ReturnedRow[], outcome: Outcome) =>
      rows.map(({ line, reference }) => ({ line, reference, payoutId: null, outcome }));
    results.push(...unsent(repeated, "repeated"));
    results.push(
      ...unsent(
        first.filter((row) => !isDecided(row)),
        "pending",
      ),
    );
    if (pending && pending.payouts > 0)
      ctx.out.note(
        `${plural(pending.payouts, "payout")} of ${usd(pending.amountCents)} of the batch ${pending.payouts === 1 ? "is" : "are"} still pending.`,
      );
    const inOrder = results.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const items = inOrder.map((result) => ({ ...result, said: outcomes[result.outcome] ?? result.outcome }));
    const bad = items.filter(({ outcome }) => refused.includes(outcome)).length;
    const listed = ctx.rows("results", items, settledView);
    if (bad === 0) return listed;
    const message = `${plural(bad, "row")} of ${path} ${bad === 1 ? "was" : "were"} not recorded.`;
    return { ...listed, failure: partlyDone(message) };
  },
});
