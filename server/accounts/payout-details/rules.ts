import type { PayoutMethod } from "../../../src/contract/accounts/payout-methods.ts";

/** Who is paid, for statements. All of it is optional. */
interface Payee {
  address?: string | undefined;
  country?: string | undefined;
  taxNumber?: string | undefined;
}

/** Where a playtester wants to be paid, and who that is. Stored sealed. */
export type PayoutDetails = Destination & Payee;
type Destination =
  | { method: "bank"; holder: string; iban: string }
  | { method: "bank"; holder: string; accountNumber: string; routingNumber: string }
  | { method: "paypal"; email: string }
  | { method: "other"; instructions: string };

/** What somebody entered. */
export interface EnteredDetails extends Payee {
  method: PayoutMethod;
  holder?: string | undefined;
  iban?: string | undefined;
  accountNumber?: string | undefined;
  routingNumber?: string | undefined;
  email?: string | undefined;
  instructions?: string | undefined;
}

type Field = Exclude<keyof EnteredDetails, "method" | keyof Payee>;

/** A field that is missing, wrong or belongs to another method, as the end of a sentence. */
export interface Fault {
  field: Field;
  message: string;
}

const fieldsOf: Record<PayoutMethod, readonly Field[]> = {
  bank: ["holder", "iban", "accountNumber", "routingNumber"],
  paypal: ["email"],
  other: ["instructions"],
};
const nameOf: Record<PayoutMethod, string> = { bank: "a bank transfer", paypal: "PayPal", other: "another way" };
const allFields = Object.values(fieldsOf).flat();

const compact = (text: string) => text.replace(/[\s-]/g, "").toUpperCase();

/** Whether the check digits are right (ISO 7064, mod 97-10). */
export function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = [...iban.slice(4), ...iban.slice(0, 4)].map((letter) => Number.parseInt(letter, 36)).join("");
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}

const required = (field: Field, method: PayoutMethod): Fault => ({ field, message: `is required for ${nameOf[method]}` });
const isBankNumber = (text: string) => /^[A-Z0-9]{2,34}$/.test(text);

/** What was entered, in the form in which it is kept, or what is wrong with it. */
export function parseDetails(entered: EnteredDetails): PayoutDetails | Fault {
  const parsed = parseDestination(entered);
  return isFault(parsed) ? parsed : { ...parsed, ...payeeOf(entered) };
}

/** Without the payee: a change of these details waits before anything is paid to them. */
export const destinationOf = ({ address: _, country: __, taxNumber: ___, ...destination }: PayoutDetails): Destination =>
  destination;

/** What was entered of the payee. */
function payeeOf({ address, country, taxNumber }: Payee): Payee {
  const trimmed = [
    ["address", address?.replaceAll("\r\n", "\n").trim()],
    ["country", country],
    ["taxNumber", taxNumber?.trim()],
  ] as const;
  return Object.fromEntries(trimmed.filter(([, text]) => text));
}

function parseDestination(entered: EnteredDetails): Destination | Fault {
  const { method } = entered;
  const stray = allFields.find((field) => entered[field] !== undefined && !fieldsOf[method].includes(field));
  if (stray !== undefined) return { field: stray, message: `does not belong to ${nameOf[method]}` };
  if (method === "bank") return bankDetails(entered);
  if (method === "paypal")
    return entered.email === undefined ? required("email", method) : { method, email: entered.email.trim() };
  const instructions = entered.instructions?.trim() ?? "";
  return instructions === "" ? required("instructions", method) : { method, instructions };
}

function bankDetails({ holder: name, iban, accountNumber, routingNumber }: EnteredDetails): Destination | Fault {
  const method = "bank";
  const holder = name?.trim();
  if (!holder) return required("holder", method);
  if (iban !== undefined) {
    if (accountNumber !== undefined) return { field: "accountNumber", message: "cannot be used together with an IBAN" };
    if (routingNumber !== undefined) return { field: "routingNumber", message: "cannot be used together with an IBAN" };
    return isIban(compact(iban))
      ? { method, holder, iban: compact(iban) }
      : { field: "iban", message: "is not a valid IBAN: look for a mistyped or missing character" };
  }
  if (accountNumber === undefined) return { field: "iban", message: "or an account number is required for a bank transfer" };
  if (routingNumber === undefined) return required("routingNumber", method);
  const [account, routing] = [compact(accountNumber), compact(routingNumber)];
  if (!isBankNumber(account)) return { field: "accountNumber", message: "must be digits and letters" };
  if (!isBankNumber(routing)) return { field: "routingNumber", message: "must be digits and letters" };
  return { method, holder, accountNumber: account, routingNumber: routing };
}

export const isFault = (parsed: Destination | Fault): parsed is Fault => "field" in parsed;

const end = (text: string) => `••••${text.slice(-4)}`;

/** What identifies the details to whoever knows them, and tells nobody else. */
export function maskOf(details: PayoutDetails): string {
  if (details.method === "paypal") {
    const at = details.email.lastIndexOf("@");
    return `${details.email[0]}••••${details.email.slice(at)}`;
  }
  if (details.method === "other") return "••••";
  return "iban" in details ? `IBAN ${details.iban.slice(0, 2)} ${end(details.iban)}` : `account ${end(details.accountNumber)}`;
}

/** Who is paid, as the account and its statements show it. */
export function payeeShown(details: PayoutDetails) {
  const { address = null, country = null, taxNumber } = details;
  return {
    holder: details.method === "bank" ? details.holder : null,
    address,
    country,
    taxNumber: taxNumber === undefined ? null : maskedNumber(taxNumber),
  };
}

const maskedNumber = (text: string) => (text.length < 8 ? "••••" : end(text));
