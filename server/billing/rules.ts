import type { PaymentStatus } from "../../src/contract/states/index.ts";
import type { OtherProvider, PaymentRow } from "./store.ts";

/** A checkout that ran out is cancelled from that millisecond on, also before a job says so. */
export const statusAt = (payment: PaymentRow, now: number): PaymentStatus =>
  payment.status === "pending" && payment.expires_at !== null && now >= payment.expires_at ? "cancelled" : payment.status;

/** Whether nobody paid or cancelled in time: money that arrives after all is a late success, not a conflict. */
export const hasLapsed = (payment: PaymentRow, now: number): boolean =>
  payment.expires_at !== null &&
  statusAt(payment, now) === "cancelled" &&
  (payment.status === "pending" || payment.updated_at >= payment.expires_at);

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

const withoutCard: Record<OtherProvider, true> = { x402: true, credit: true, playtest_hours: true };

export const isByCard = ({ provider }: PaymentRow): boolean => !Object.hasOwn(withoutCard, provider);

/** Where a checkout may send people back to: https, or http on their own machine. */
export function isReturnable(address: string): boolean {
  const url = new URL(address);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** The return address with the outcome behind what its query already says. */
export function returnAddress(returnUrl: string, paymentId: string, status: "success" | "cancelled"): string {
  const url = new URL(returnUrl);
  const outcome = `payment_id=${paymentId}&status=${status}`;
  // Parsing and printing the query anew would change how the caller encoded it.
  url.search = url.search === "" ? outcome : `${url.search}&${outcome}`;
  return url.href;
}
