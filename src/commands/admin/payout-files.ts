import type { Data } from "../../api/client.ts";
import { parseMoney } from "../../cli/flags.ts";
import type { PayoutMethod } from "../../contract/accounts/payout-methods.ts";
import type { FileRecord } from "../../contract/files/records.ts";
import { csvLine, escapeFormula } from "../../contract/text/csv.ts";
import { usage } from "../../errors.ts";

type Payment = Data<"readPayoutInstructions">["payments"][number];
/** Free text is what a playtester entered, in a form that nothing restricts. */
type Column = readonly [header: string, value: (payment: Payment) => string | null, kind?: "free text"];

const note = "Playtest earnings";
const amountOf = ({ amountCents }: Payment) => (amountCents / 100).toFixed(2);
const shared: readonly Column[] = [
  ["amount", amountOf],
  ["currency", ({ currency }) => currency],
  ["note", () => note],
];

const bank: readonly Column[] = [
  ["reference", ({ reference }) => reference],
  ["account holder", ({ holder }) => holder, "free text"],
  ["iban", ({ iban }) => iban],
  ["account number", ({ accountNumber }) => accountNumber],
  ["routing number", ({ routingNumber }) => routingNumber],
  ...shared,
];
const other: readonly Column[] = [
  ["reference", ({ reference }) => reference],
  ["instructions", ({ instructions }) => instructions, "free text"],
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

/**
 * The CSV file of payments by this method, without a last line break. Free text that a spreadsheet would run as a formula is made harmless,
 * unless `isRaw`: `escaped` has the references of those payments. Email addresses and numbers can be no such formula, and stay as a bank
 * or PayPal has to read them.
 */
export function fileOf(method: PayoutMethod, payments: readonly Payment[], isRaw: boolean): { text: string; escaped: string[] } {
  const cellOf = (text: string, kind: Column[2], raw: boolean) => (kind === undefined || raw ? text : escapeFormula(text));
  const lineOf = (payment: Payment, raw: boolean) =>
    csvLine(columns[method].map(([, value, kind]) => cellOf(value(payment) ?? "", kind, raw)));
  const header = method === "paypal" ? "" : csvLine(columns[method].map(([name]) => name));
  const escaped = payments.filter((payment) => lineOf(payment, isRaw) !== lineOf(payment, true));
  return {
    text: (header + payments.map((payment) => lineOf(payment, isRaw)).join("")).trimEnd(),
    escaped: escaped.map(({ reference }) => reference),
  };
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
