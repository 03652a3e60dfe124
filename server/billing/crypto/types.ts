import type { Query } from "../../database/port.ts";
import type { SeenTransaction, SeenTransfer } from "./chains/index.ts";
import type { ChainName, Currency, QuoteTerms, Verdict } from "./rules.ts";
import type { SignedRow } from "./signed/store.ts";
import type { DepositRow, QuoteRow } from "./store.ts";

/** Types that several files of this folder use. */

/** A transaction that an owner submits as their payment. */
export interface Proof {
  ownerId: string;
  chain: ChainName;
  currency: Currency;
  txHash: string;
}

/** Whether the request can pay this quote of the caller. */
export type Scope = (q: Query, quote: QuoteRow) => boolean | Promise<boolean>;

/** A final transaction and the current price (cents per whole coin), which is undefined while it is unavailable. */
export interface Found {
  seen: SeenTransaction;
  rate: number | undefined;
}

/** A final transaction that was found by a scan, not submitted. */
export interface Arrival {
  chain: ChainName;
  txHash: string;
  seen: SeenTransaction;
}

/** A quote's terms, which `rules.ts` works with, and its row. */
export interface QuoteWithTerms extends QuoteTerms {
  row: QuoteRow;
}

/** A transfer, its time (ms), the verdict on it, and the current price (cents per whole coin). */
export interface Judged {
  transfer: SeenTransfer;
  at: number;
  verdict: Verdict<QuoteWithTerms>;
  rate: number | undefined;
  /** The signed payment that it settles. */
  signed?: SignedRow;
}

/** Evidence that a deposit came from an address of `ownerId`. */
export interface Evidence {
  by: NonNullable<DepositRow["proof"]>;
  ownerId: string;
  signature: string | null;
}

/** A credited transfer: its payment, its value in cents, and the quote that it paid, if any. */
export interface Received {
  paymentId: string;
  cents: number;
  quote: QuoteRow | undefined;
}
