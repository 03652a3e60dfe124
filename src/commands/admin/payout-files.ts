import type { Data } from "../../api/client.ts";
import { parseMoney } from "../../cli/flags.ts";
import type { PayoutMethod } from "../../contract/accounts/payout-methods.ts";
import type { FileRecord } from "../../contract/files/records.ts";
import { csvLine, escapeFormula } from "../../contract/text/csv.ts";
import { usage } from "../../errors.ts";

type Payment = Data<"readPayoutInstructions">["payments"][number];
type Column = readonly [header: string, value: (payment: Payment) => string | null];

const note = "Playtest earnings";
const amountOf = ({ amountCents }: Payment) => (amountCents / 100).toFixed(2);
const shared: readonly Column[] = [
  ["amount", amountOf],
  ["currency", ({ currency }) => currency],
  ["note", () => note],
];

const bank: readonly Column[] = [
  ["reference", ({ reference }) => reference],
  ["account holder", ({ holder }) => holder],
  ["iban", ({ iban }) => iban],
  ["account number", ({ accountNumber }) => accountNumber],
  ["routing number", ({ routingNumber }) => routingNumber],
  ...shared,
];
const other: readonly Column[] = [
  ["reference", ({ reference }) => reference],
  ["instructions", ({ instructions }) => instructions],
  ...shared,
];
/** The columns of PayPal's mass payments, which have no header. */
const paypal: readonly Column[] = [
  ["email", ({ email }) => email],
  ["amount", amountOf],
  ["currency", ({ currency }) => currency],
  ["reference id", ({ reference }) => reference],
  ["note", () => note],
];
const columns: Record<PayoutMethod, readonly Column[]> = { bank, paypal, other };

/** The CSV file of payments by this method, without a last line break. Cells that a spreadsheet would run as formulas are made harmless. */
export function fileOf(method: PayoutMethod, payments: readonly Payment[]): string {
  const header = method === "paypal" ? [] : [columns[method].map(([name]) => name)];
  const rows = payments.map((payment) => columns[method].map(([, value]) => escapeFormula(value(payment) ?? "")));
  return [...header, ...rows].map(csvLine).join("").trimEnd();
}

const statuses: Record<string, "paid" | "failed" | "pending"> = {
  paid: "paid",
  completed: "paid",
  success: "paid",
  failed: "failed",
  returned: "failed",
  rejected: "failed",
  denied: "failed",
  refused: "failed",
  pending: "pending",
  processing: "pending",
  unclaimed: "pending",
};

export interface ReturnedRow {
  line: number;
  reference: string;
  /** Nothing is recorded for `pending`: the bank or PayPal has not decided yet. */
  status: "paid" | "failed" | "pending";
  amountCents?: number;
  failure?: string;
}

/** A row of a file that says what became of payouts. Throws a usage error that names the line. */
export function returnedRow({ line, fields }: FileRecord, path: string): ReturnedRow {
  const lower = new Map(Object.entries(fields).map(([name, value]) => [name.trim().toLowerCase(), String(value).trim()]));
  const at = `${path}, line ${line}`;
  const reference = lower.get("reference") || lower.get("reference id");
  if (!reference) throw usage(`${at}: there is no reference. Nothing was recorded.`, "Name the column `reference`.");
  const said = (lower.get("status") ?? "").toLowerCase();
  if (!Object.hasOwn(statuses, said))
    throw usage(
      `${at}: the status ${JSON.stringify(said)} is not known. Nothing was recorded.`,
      `Use one of ${Object.keys(statuses).join(", ")}.`,
    );
  const [amount, failure] = [lower.get("amount"), lower.get("reason")];
  return {
    line,
    reference,
    status: statuses[said]!,
    ...(amount && { amountCents: parseMoney(amount, `${at}, amount`) }),
    ...(failure && { failure: failure.slice(0, 200) }),
  };
}
