import { resolve } from "node:path";
import type { Data } from "../../api/client.ts";
import { arg, define, flag } from "../../cli/define.ts";
import { exitCodes, partlyDone } from "../../errors.ts";
import { parseRecords } from "../../io/files/records.ts";
import { plural, usd } from "../../io/text.ts";
import { returnedRow } from "./payout-files.ts";
import { settledView } from "./view.ts";

type Outcome = Data<"settlePayoutBatch">["results"][number]["outcome"];

/** Rows per request. */
const chunk = 500;

const outcomes: Record<Outcome, string> = {
  paid: "paid",
  failed: "failed, owed again",
  already_paid: "was recorded as paid before",
  already_failed: "was recorded as failed before",
  failed_before: "not recorded: failed before, and the file says paid",
  amount_differs: "not recorded: the amount differs",
  repeated: "not recorded: repeated in the file",
  unknown: "not recorded: not in this batch",
};
const refused: readonly Outcome[] = ["failed_before", "amount_differs", "repeated", "unknown"];

export const payoutsSettle = define({
  name: "payouts settle",
  summary: "Record which payouts of a batch were paid and which failed, from a returned file",
  description:
    "The file is CSV with the columns `reference` and `status` (paid, completed or success; failed, returned, rejected, denied or refused), and if you like `amount`, which is compared, and `reason`, which the playtester reads. Failed payouts are owed again. It is safe to repeat. Exits with 11 if rows were not recorded.",
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
    const lines = new Map(rows.map(({ reference, line }) => [reference, line]));
    const results: Data<"settlePayoutBatch">["results"] = [];
    let pending: Data<"settlePayoutBatch">["batch"]["pending"] | undefined;
    for (let start = 0; start < rows.length; start += chunk) {
      const sent = rows.slice(start, start + chunk).map(({ line: _, ...row }) => row);
      const reply = await ctx.api().settlePayoutBatch({ params: { id: args.batch }, body: { rows: sent } });
      results.push(...reply.results);
      pending = reply.batch.pending;
    }
    if (pending && pending.payouts > 0)
      ctx.out.note(`${plural(pending.payouts, "payout")} of ${usd(pending.amountCents)} of the batch is still pending.`);
    const items = results.map((result) => ({
      line: lines.get(result.reference),
      ...result,
      said: outcomes[result.outcome] ?? result.outcome,
    }));
    const bad = items.filter(({ outcome }) => refused.includes(outcome)).length;
    const listed = ctx.rows("results", items, settledView);
    if (bad === 0) return listed;
    const message = `${plural(bad, "row")} of ${path} ${bad === 1 ? "was" : "were"} not recorded.`;
    return { ...listed, failure: partlyDone(message) };
  },
});
