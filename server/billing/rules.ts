import { isIPv4 } from "node:net";
import type { PaymentStatus } from "../../src/contract/states/index.ts";
import type { OtherProvider } from "../database/schema/money.ts";
import type { PaymentRow } from "./store.ts";

/** The payment's status at `now`. An expired checkout counts as cancelled, even before the job has recorded it. */
export const statusAt = (payment: PaymentRow, now: number): PaymentStatus =>
  payment.status === "pending" && payment.expires_at !== null && now >= payment.expires_at ? "cancelled" : payment.status;

/** Whether a checkout has expired without being paid or cancelled. A payment that arrives later is accepted as a late success. */
export const hasExpired = (payment: PaymentRow, now: number): boolean =>
  payment.expires_at !== null &&
  statusAt(payment, now) === "cancelled" &&
  (payment.status === "pending" || payment.updated_at >= payment.expires_at);

/** What an operator adds to an account by hand. */
export type Granted = "credit" | "minutes";

const grants: Record<Granted, string> = { credit: "--credit 50", minutes: "--minutes 600" };

type Pairs = readonly { chain: string; currency: string }[];

/** The command that buys credit with one of these currencies, preferably the default one. */
function byCrypto([first, ...more]: Pairs): string {
  if (first === undefined) return "Ask";
  const isDefault = [first, ...more].some(({ chain, currency }) => chain === "base" && currency === "USDC");
  const which = isDefault ? "" : ` --chain ${first.chain} --currency ${first.currency}`;
  return `Buy credit with crypto: \`playtest billing credit x402 --amount 50${which}\`. Or ask`;
}

/** What an owner does where no card is accepted, and what the operator then runs. `pairs`: the crypto payments that are accepted. */
export const howToPay = (granted: Granted, pairs: Pairs): string =>
  `${granted === "credit" ? byCrypto(pairs) : "Ask"} the operator of this server for an invoice. Once you have paid it, they run \`playtest admin grant EMAIL ${grants[granted]} --note "Invoice 12"\` with your email address.`;

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));

// Stryker disable next-line BooleanLiteral: only the names count.
const withoutCard: Record<OtherProvider, true> = { x402: true, credit: true, playtest_hours: true };

/** Whether it brings money, which an invoice states. What is paid with credit or hours was paid before. */
export const isOfMoney = ({ provider }: PaymentRow): boolean => provider !== "credit" && provider !== "playtest_hours";

export const isByCard = ({ provider }: PaymentRow): boolean => !Object.hasOwn(withoutCard, provider);

/** Whether a checkout may redirect to a URL: an https URL, or an http URL on localhost. */
export function isReturnable(address: string): boolean {
  const url = new URL(address);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** The return URL, with the outcome appended to its query. */
export function returnAddress(returnUrl: string, paymentId: string, status: "success" | "cancelled"): string {
  const url = new URL(returnUrl);
  const outcome = `payment_id=${paymentId}&status=${status}`;
  // Parsing and serializing the query would change how the caller encoded it.
  url.search = url.search === "" ? outcome : `${url.search}&${outcome}`;
  return url.href;
}
