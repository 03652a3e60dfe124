/** Everything an operator can set, with the unit in the name. Defaults are production's; tests and flags override. */
export interface Config {
  /** Address clients use, without a trailing slash and without `/api/v1`. */
  baseUrl: string;
  sandbox: boolean;
  /** New accounts are verified at once (sandbox only, decisions §13). */
  autoVerify: boolean;
  /** Checks replies against the contract and watches transactions; on in tests and development. */
  strict: boolean;
  version: string;
  limits: {
    enabled: boolean;
    keyPerMinute: number;
    keyBurst: number;
    keylessPerMinute: number;
    registerPerMinute: number;
    passwordPerMinute: number;
  };
  http: {
    bodyBytes: number;
    headersTimeoutMs: number;
    requestTimeoutMs: number;
    keepAliveTimeoutMs: number;
    /** A connection on which nothing moves for so long while a request is under way is cut. */
    idleTimeoutMs: number;
    maxConnections: number;
    drainMs: number;
    /** So often a silent event stream shows that it lives, and its key is looked at again. */
    heartbeatMs: number;
    /** Event streams one account may have open at once: each holds a connection. */
    maxStreams: number;
    /** Addresses (CIDR) whose `X-Forwarded-For` is believed. */
    trustedProxies: string[];
  };
  pricing: Pricing;
  orders: { trialMaxSlots: number; payWithinMs: number };
  /** `remindBeforeMs` before a slot's deadline its holder is reminded. */
  playtesters: { maxReserved: number; remindBeforeMs: number };
  /** `expireMs` after its start an unfinished upload is removed; a transfer that is silent for `idleMs` is cut. */
  uploads: { videoMaxBytes: number; buildMaxBytes: number; expireMs: number; idleMs: number };
  /**
   * Program and arguments that print the transcript of the video at `{video}` (last, where no argument has it); empty:
   * none. `parallel` run at once.
   */
  transcriber: { command: string[]; timeoutMs: number; maxOutputBytes: number; parallel: number };
  checkout: { expireMs: number };
  /** Stripe takes the cards when both secrets are set, except in a sandbox. `apiUrl` is Stripe's own address by default. */
  stripe: { secretKey: string | null; webhookSecret: string | null; apiUrl: string | null };
  crypto: {
    /** How long a quote is open, and how long after that its amount is kept from others. */
    quoteMs: number;
    reserveMs: number;
    /** Unpaid quotes an owner may have at once. */
    maxOpenQuotes: number;
    /** Within it a node must have answered. */
    timeoutMs: number;
    /** How often a chain is looked through for deposits nobody named while quotes wait, and how often while none does. */
    scanMs: number;
    idleScanMs: number;
    base: EvmNetwork;
    ethereum: EvmNetwork;
    /** `usdc` is the mint. */
    solana: { rpcUrl: string | null; receiver: string | null; usdc: string };
    /** Cents per whole coin where fixed; else the feed is asked, whose address has `{coin}` in it. */
    rates: { ETH: number | null; SOL: number | null; feedUrl: string | null; timeoutMs: number };
  };
  invoices: {
    /** What invoice numbers begin with; each series counts up from 1 every year. */
    series: string;
    seller: { name: string; lines: string[] };
    /** Font files (TrueType, OpenType or WOFF) to prefer over those built in, such as one for Chinese, Japanese or Korean names. */
    fonts: string[];
  };
  webhooks: {
    /** Private addresses that may be reached all the same: CIDR blocks, addresses and host names. */
    allowPrivate: string[];
    /** Within it a receiver must have answered. */
    timeoutMs: number;
    /** What is read of an answer. */
    responseMaxBytes: number;
    inFlightPerHost: number;
    inFlight: number;
  };
  mail: { from: string; smtpUrl: string | null };
  /** So long after its last sign of life another process on the same database goes on with a server's jobs. */
  jobs: { leaseMs: number };
  passwords: { scryptLogN: number };
  /**
   * What is removed so long after its time, looked for `everyMs`: sent mails, deliveries of webhooks (also those kept for one
   * that is disabled), and which reports of the card processor were taken. What expires, such as sessions and stored replies, goes when it has.
   */
  retention: { everyMs: number; mailMs: number; deliveryMs: number; processorEventMs: number };
}

/** On when both `rpcUrl` and `receiver` are set. `usdc` is the token's contract. */
export interface EvmNetwork {
  rpcUrl: string | null;
  receiver: string | null;
  usdc: string;
  chainId: number;
  /** A transaction counts from this block of the node on; `confirmations`, when set, count instead. */
  finality: "finalized" | "safe";
  confirmations: number | null;
  /** Blocks asked for at once when looking for deposits: what the node's provider allows. */
  scanBlocks: number;
}

/** Cents by duration in minutes: first player, and each further one. `payoutPerHourCents` is per player. */
export interface Pricing {
  baseCents: Record<number, number>;
  furtherPlayerCents: Record<number, number>;
  payoutPerHourCents: number;
  publicPayoutCents: number;
}

const minute = 60_000;
const GiB = 1024 ** 3;
const hour = 3_600_000;
const day = 24 * hour;

export const defaults: Config = {
  baseUrl: "http://127.0.0.1:4747",
  sandbox: false,
  autoVerify: false,
  strict: false,
  version: "0.0.0",
  limits: { enabled: true, keyPerMinute: 600, keyBurst: 100, keylessPerMinute: 60, registerPerMinute: 10, passwordPerMinute: 5 },
  http: {
    bodyBytes: 1024 * 1024,
    headersTimeoutMs: 15_000,
    requestTimeoutMs: 30_000,
    keepAliveTimeoutMs: 65_000,
    idleTimeoutMs: 5 * minute,
    maxConnections: 10_000,
    drainMs: 25_000,
    heartbeatMs: 15_000,
    maxStreams: 100,
    trustedProxies: [],
  },
  pricing: {
    baseCents: { 30: 1500, 60: 2000, 120: 3500, 180: 5000 },
    furtherPlayerCents: { 30: 1000, 60: 1500, 120: 2500, 180: 4000 },
    payoutPerHourCents: 1000,
    publicPayoutCents: 0,
  },
  orders: { trialMaxSlots: 5, payWithinMs: 24 * hour },
  playtesters: { maxReserved: 3, remindBeforeMs: 4 * hour },
  uploads: { videoMaxBytes: 8 * GiB, buildMaxBytes: 32 * GiB, expireMs: 7 * 24 * hour, idleMs: 60_000 },
  transcriber: { command: [], timeoutMs: 2 * hour, maxOutputBytes: 8 * 1024 * 1024, parallel: 1 },
  checkout: { expireMs: 24 * hour },
  stripe: { secretKey: null, webhookSecret: null, apiUrl: null },
  crypto: {
    quoteMs: 15 * minute,
    reserveMs: hour,
    maxOpenQuotes: 50,
    timeoutMs: 10_000,
    scanMs: 5 * minute,
    idleScanMs: 24 * hour,
    base: {
      rpcUrl: null,
      receiver: null,
      usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      chainId: 8453,
      finality: "safe",
      confirmations: null,
      scanBlocks: 500,
    },
    ethereum: {
      rpcUrl: null,
      receiver: null,
      usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      chainId: 1,
      finality: "finalized",
      confirmations: null,
      scanBlocks: 500,
    },
    solana: { rpcUrl: null, receiver: null, usdc: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" },
    rates: { ETH: null, SOL: null, feedUrl: null, timeoutMs: 5_000 },
  },
  invoices: { series: "PT", seller: { name: "Playtest", lines: [] }, fonts: [] },
  webhooks: { allowPrivate: [], timeoutMs: 5_000, responseMaxBytes: 64 * 1024, inFlightPerHost: 2, inFlight: 64 },
  mail: { from: "playtest <no-reply@localhost>", smtpUrl: null },
  jobs: { leaseMs: 45_000 },
  passwords: { scryptLogN: 17 },
  retention: { everyMs: hour, mailMs: 30 * day, deliveryMs: 90 * day, processorEventMs: 90 * day },
};
