import type { ChainName, Currency } from "../rules.ts";
import type { TokenDomain } from "../signatures/index.ts";

/**
 * A transfer to an address in a transaction. `index` tells it from the others of the transaction, but a reorganization of the chain can
 * change it: see `matchBooked`.
 */
export interface SeenTransfer {
  index: number;
  currency: Currency;
  to: string;
  amount: bigint;
  /** The address that held the money, in the form of `addressOf`. Null if there are several, or it is unknown. */
  from: string | null;
  /** The nonce of the signed payment (EIP-3009) that it settles, in lower case. Null if the sender did not sign one. */
  nonce: string | null;
}

export interface SeenTransaction {
  status: "success" | "reverted";
  /** Whether the transaction can no longer be removed by a reorganization of the chain. */
  final: boolean;
  /** Block time, ms. */
  at: number;
  /** Only transfers to this server's receiving address, in currencies that it accepts. */
  transfers: SeenTransfer[];
}

/** The functions of a chain that deposits need. They throw `ChainDown` if the node is unavailable. */
export interface Chain {
  readonly name: ChainName;
  readonly receiver: string;
  /** The address of the contract or mint of USDC. */
  readonly usdc: string;
  /** What signed payments in USDC name. Undefined on a chain without them. */
  readonly token?: TokenDomain;
  /** Resolves if the node responds and serves the expected network. */
  ready(): Promise<void>;
  /** The normalized form of a transaction hash. Undefined for an invalid one. */
  normalize(txHash: string): string | undefined;
  /** The normalized form of an address. Undefined for an invalid one. */
  addressOf(text: string): string | undefined;
  /** Undefined when the transaction is unknown. */
  find(txHash: string): Promise<SeenTransaction | undefined>;
  /**
   * What became of a payment that was signed for the chain (EIP-3009), by its final blocks. `open`: they do not reach beyond `until` yet, when
   * the contract refuses it. Absent on a chain without such payments.
   */
  findNonce?(signed: SignedNonce): Promise<NonceState>;
  /** Scans final blocks for transactions that may contain transfers to the receiver. */
  scan(task: ScanTask): Promise<Scanned>;
}

/** A signed payment: who signed it, in lower case like its nonce, and within which times it can have been used (ms). */
export interface SignedNonce {
  payer: string;
  nonce: string;
  since: number;
  until: number;
}

export type NonceState = { is: "open" | "unused" } | { is: "used"; txHash: string };

/** The range of a scan. Times are in ms. */
export interface ScanTask {
  /** The end of the last scan (`Scanned.position`). If null, the scan begins at `since`. */
  after: string | null;
  since: number;
  /** The time from which to scan for native coins, which requires reading whole blocks. Null: do not scan for them. */
  nativeSince: number | null;
}

export interface Scanned {
  /** Final transactions, oldest first. May include transactions that earlier scans found. */
  hashes: string[];
  position: string;
  /** Whether there are more blocks to scan. */
  behind: boolean;
}

/** The node or the price feed is unavailable. Becomes a 503. Nothing was changed. */
export class ChainDown extends Error {
  override name = "ChainDown";
}
