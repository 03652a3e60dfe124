import type { ChainName, Currency } from "../rules.ts";

/** What moved to an address in a transaction. `index` tells transfers of one transaction apart, for ever. */
export interface SeenTransfer {
  index: number;
  currency: Currency;
  to: string;
  amount: bigint;
}

export interface SeenTransaction {
  status: "success" | "reverted";
  /** It can no longer disappear. */
  final: boolean;
  /** Block time, ms. */
  at: number;
  from: string | null;
  /** Transfers to this server's receiver only, and of currencies it takes. */
  transfers: SeenTransfer[];
}

/** One chain as far as deposits need it. Its methods throw `ChainDown` where the node cannot tell. */
export interface Chain {
  readonly name: ChainName;
  readonly receiver: string;
  /** Contract or mint of USDC. */
  readonly usdc: string;
  /** Resolves when the node answers and serves the network it should. */
  ready(): Promise<void>;
  /** The hash as the chain writes it; undefined where it cannot be one. */
  normalize(txHash: string): string | undefined;
  /** Undefined: nobody has seen it. */
  find(txHash: string): Promise<SeenTransaction | undefined>;
  /** Looks through final blocks for transactions that may move something to the receiver. */
  scan(task: ScanTask): Promise<Scanned>;
}

/** What to look for. Times are ms. */
export interface ScanTask {
  /** Where an earlier scan ended (`Scanned.position`); null: begin at `since`. */
  after: string | null;
  since: number;
  /** Coins of the chain itself are looked for from here on only: it takes reading whole blocks. Null: not at all. */
  nativeSince: number | null;
}

export interface Scanned {
  /** Final transactions, oldest first; some of them may have been found by earlier scans. */
  hashes: string[];
  position: string;
  /** There are more blocks to look through. */
  behind: boolean;
}

/** The node or the price feed cannot tell just now. Answers 503; nothing was decided. */
export class ChainDown extends Error {
  override name = "ChainDown";
}
