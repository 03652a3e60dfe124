import { z } from "zod";
import { parseBlock } from "../lib/addresses.ts";

/**
 * Every setting of a server: its type, range, unit, default, description and, where it has one, its environment variable.
 * `config.json` is checked against it, and the reference in the documentation is written from it.
 */

/** What the reference shows beyond what zod knows. */
interface Extra {
  unit?: string;
  /** The environment variable that sets it, before the file. A list is separated by commas there. */
  variable?: string;
  /** May hold a password or an API key: its value is never shown. */
  secret?: true;
  /** What a value must be, where the type and the range do not say it. */
  expected?: string;
}

const meta = (description: string, { unit, variable, secret, expected }: Extra = {}) => ({
  description,
  ...(unit && { "x-unit": unit }),
  ...(variable && { "x-variable": variable }),
  ...(secret && { "x-secret": secret }),
  ...(expected && { "x-expected": expected }),
});

const integer = (description: string, initial: number, min: number, max: number, unit?: string) =>
  z.int().min(min).max(max).default(initial).meta(meta(description, { unit }));
const ms = (description: string, initial: number, min: number, max: number) =>
  integer(description, initial, min, max, "milliseconds");
const cents = (description: string, initial: number) => integer(description, initial, 0, 1_000_000, "US cents");
const bytes = (description: string, initial: number, min: number, max: number) =>
  integer(description, initial, min, max, "bytes");
const perMinute = (description: string, initial: number) => integer(description, initial, 1, 1_000_000, "requests per minute");
const toggle = (description: string, initial: boolean) => z.boolean().default(initial).meta(meta(description));

/** Null means that the setting is off. */
const orNull = (type: z.ZodType<string>, description: string, extra: Extra) =>
  z.nullable(type).default(null).meta(meta(description, extra));
const matching = (isValid: (text: string) => boolean) => z.string().refine(isValid);
const list = (item: z.ZodType<string>, description: string, extra: Extra) =>
  z.array(item).default([]).meta(meta(description, extra));

const hasScheme =
  (...schemes: string[]) =>
  (text: string) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol);
const isWebUrl = hasScheme("http:", "https:");
const webUrl = (description: string) =>
  orNull(matching(isWebUrl), description, { expected: "an http:// or https:// URL, or null", secret: true });

const isHostName = (text: string) =>
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(text);
const isMailbox = (text: string) =>
  /^([^<>@\p{Cc}]*<[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+>|[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+)$/u.test(text);
const isPlainText = (text: string) => !/\p{Cc}/u.test(text);
const plainText = (max: number, min = 1) => z.string().min(min).max(max).refine(isPlainText);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const TiB = 1024 * GiB;

const limits = z.strictObject({
  enabled: toggle("Whether requests are rate limited. `--rate-limit off` turns it off.", true),
  keyPerMinute: perMinute("Requests per API key.", 600),
  keyBurst: integer("Requests an API key may send at once after it was idle.", 100, 1, 1_000_000, "requests"),
  keylessPerMinute: perMinute("Requests without an API key, per client address.", 60),
  registerPerMinute: perMinute("New accounts, per client address.", 10),
  passwordPerMinute: perMinute("Sign-ins and password changes, per account and per client address.", 5),
});

const http = z.strictObject({
  bodyBytes: bytes("Largest JSON body of a request. Uploads have limits of their own.", MiB, KiB, 100 * MiB),
  headersTimeoutMs: ms("How long a client may take to send the headers of a request.", 15 * second, second, 10 * minute),
  requestTimeoutMs: ms("How long a client may take to send the JSON body of a request.", 30 * second, second, hour),
  keepAliveTimeoutMs: ms("How long an idle connection is kept open for the next request.", 65 * second, second, hour),
  idleTimeoutMs: ms(
    "A connection with a request in progress is closed when no data moves for this long.",
    5 * minute,
    second,
    day,
  ),
  maxConnections: integer("Connections open at once. Further ones are refused.", 10_000, 1, 1_000_000, "connections"),
  drainMs: ms("How long requests in progress may take to finish when the server stops.", 25 * second, 0, hour),
  heartbeatMs: ms(
    "How often a silent event stream sends a heartbeat and checks that its API key is still valid.",
    15 * second,
    second,
    10 * minute,
  ),
  maxStreams: integer("Event streams one account may have open at once.", 100, 1, 100_000, "streams"),
  trustedProxies: list(
    matching((text) => parseBlock(text) !== undefined),
    "Proxies in front of the server. The client address is taken from the X-Forwarded-For header they send.",
    { variable: "PLAYTEST_TRUSTED_PROXIES", expected: "a list of IP addresses or CIDR blocks, such as 10.0.0.0/8" },
  ),
});

const durations = (description: string, prices: readonly [number, number, number, number]) =>
  z
    .strictObject({
      30: cents(`${description} for 30 minutes.`, prices[0]),
      60: cents(`${description} for 60 minutes.`, prices[1]),
      120: cents(`${description} for 120 minutes.`, prices[2]),
      180: cents(`${description} for 180 minutes.`, prices[3]),
    })
    .prefault({});

const pricing = z.strictObject({
  baseCents: durations("Price of a slot with one player", [1500, 2000, 3500, 5000]),
  furtherPlayerCents: durations("Price of each further player in a slot", [1000, 1500, 2500, 4000]),
  payoutPerHourCents: cents("What a playtester earns per hour and player of an accepted slot.", 1000),
  publicPayoutCents: cents("What a playtester earns per accepted slot of a public playtest.", 0),
});

const orders = z.strictObject({
  trialMaxSlots: integer("Slots in a game's free public trial, at most.", 5, 1, 1000, "slots"),
  payWithinMs: ms("An order that is not paid within this time is cancelled.", day, minute, year),
});

const playtesters = z.strictObject({
  maxReserved: integer("Slots a playtester may have reserved at once.", 3, 1, 1000, "slots"),
  remindBeforeMs: ms("How long before a slot's deadline its playtester gets a reminder.", 4 * hour, 0, 30 * day),
});

const uploads = z.strictObject({
  videoMaxBytes: bytes("Largest video a playtester may upload.", 8 * GiB, KiB, TiB),
  buildMaxBytes: bytes("Largest build an owner may upload.", 32 * GiB, KiB, TiB),
  expireMs: ms("An upload that is not finished this long after its start is removed.", 7 * day, minute, year),
  idleMs: ms("An upload or download is cut when no data moves for this long. It can be resumed.", minute, second, hour),
});

const transcriber = z.strictObject({
  command: z
    .array(z.string())
    .refine(([program]) => program !== "")
    .default([])
    .meta(
      meta(
        "Program and arguments that print the transcript of a video. {video} stands for the path of the video; without it the path is the last argument. Empty: no transcripts.",
        { expected: "a list of texts: the program, then its arguments" },
      ),
    ),
  timeoutMs: ms("How long the program may run for one video.", 2 * hour, second, 7 * day),
  maxOutputBytes: bytes("Longest transcript taken from the program.", 8 * MiB, KiB, 256 * MiB),
  parallel: integer("Videos transcribed at once.", 1, 1, 64, "videos"),
});

const checkout = z.strictObject({
  expireMs: ms("How long a checkout page can be paid. With Stripe: 30 minutes to 24 hours.", day, minute, 30 * day),
});

const stripe = z.strictObject({
  secretKey: orNull(z.string().min(1), "Secret key of the Stripe account that takes card payments. Null: no card payments.", {
    variable: "PLAYTEST_STRIPE_SECRET_KEY",
    secret: true,
    expected: "a non-empty text, or null",
  }),
  webhookSecret: orNull(z.string().min(1), "Signing secret of the Stripe webhook endpoint that points at this server.", {
    variable: "PLAYTEST_STRIPE_WEBHOOK_SECRET",
    secret: true,
    expected: "a non-empty text, or null",
  }),
  apiUrl: webUrl("Another address for Stripe's API, for tests. Null: Stripe's own."),
});

const isEvmAddress = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text);
const isSolanaAddress = (text: string) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);
const evmExpected = "an address of that chain: 0x and 40 hexadecimal digits";
const solanaExpected = "an address of that chain: 32 to 44 base58 characters";
const chainAddress = (isValid: (text: string) => boolean, description: string, initial: string, expected: string) =>
  matching(isValid).default(initial).meta(meta(description, { expected }));

const rpcUrl = (chain: string) =>
  webUrl(
    `JSON-RPC URL of your ${chain} node or provider. Payments on ${chain} are accepted when both rpcUrl and receiver are set.`,
  );
const receiverText = (chain: string) =>
  `Address that receives payments on ${chain}. Check it: money sent to a wrong address is lost.`;

const evm = (chain: string, usdc: string, chainId: number, finality: "safe" | "finalized") =>
  z
    .strictObject({
      rpcUrl: rpcUrl(chain),
      receiver: orNull(matching(isEvmAddress), receiverText(chain), { expected: `${evmExpected}, or null` }),
      usdc: chainAddress(isEvmAddress, `Contract of the USDC token on ${chain}.`, usdc, evmExpected),
      chainId: integer("Chain ID the node must report.", chainId, 1, Number.MAX_SAFE_INTEGER),
      finality: z
        .enum(["finalized", "safe"])
        .default(finality)
        .meta(meta("Block of the node from which a payment counts as confirmed.")),
      confirmations: z
        .nullable(z.int().min(1).max(10_000))
        .default(null)
        .meta(meta("Blocks after which a payment counts as confirmed. Null: finality decides.", { unit: "blocks" })),
      scanBlocks: integer(
        "Blocks per request when looking for deposits, as many as the provider of the node allows.",
        500,
        1,
        100_000,
        "blocks",
      ),
    })
    .prefault({});

const solana = z
  .strictObject({
    rpcUrl: rpcUrl("Solana"),
    receiver: orNull(matching(isSolanaAddress), receiverText("Solana"), { expected: `${solanaExpected}, or null` }),
    usdc: chainAddress(
      isSolanaAddress,
      "Mint of the USDC token on Solana.",
      "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      solanaExpected,
    ),
  })
  .prefault({});

const rate = (coin: string) =>
  z
    .nullable(z.number().positive().max(1_000_000_000))
    .default(null)
    .meta(meta(`Fixed price of one ${coin}. Null: the price comes from feedUrl.`, { unit: "US cents" }));

const rates = z
  .strictObject({
    ETH: rate("ETH"),
    SOL: rate("SOL"),
    feedUrl: orNull(
      matching((text) => isWebUrl(text) && text.includes("{coin}")),
      'Address of a price feed, with {coin} where the name of the coin goes. It answers like Coinbase: {"data":{"amount":"3012.45"}}.',
      { expected: "an http:// or https:// URL with {coin} in it, or null", secret: true },
    ),
    timeoutMs: ms("How long the price feed may take to answer.", 5 * second, 100, 10 * minute),
  })
  .prefault({});

const crypto = z.strictObject({
  quoteMs: ms("How long a crypto quote can be paid.", 15 * minute, minute, day),
  reserveMs: ms("How long after its end a quote's amount is not given to another quote.", hour, 0, 7 * day),
  maxOpenQuotes: integer("Unpaid quotes an owner may have at once.", 50, 1, 10_000, "quotes"),
  timeoutMs: ms("How long a node may take to answer.", 10 * second, 100, 10 * minute),
  scanMs: ms("How often a chain is searched for deposits while quotes are open.", 5 * minute, second, day),
  idleScanMs: ms("How often a chain is searched for deposits while no quote is open.", day, second, 30 * day),
  base: evm("Base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 8453, "safe"),
  ethereum: evm("Ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 1, "finalized"),
  solana,
  rates,
});

const invoices = z.strictObject({
  series: plainText(32)
    .default("PT")
    .meta(
      meta("First part of invoice numbers. The numbers of each series start at 1 every year.", {
        expected: "a text of 1 to 32 characters",
      }),
    ),
  seller: z
    .strictObject({
      name: plainText(200)
        .default("Playtest")
        .meta(meta("Name of the seller on invoices.", { expected: "a text of 1 to 200 characters" })),
      lines: list(plainText(200, 0), "Lines below the seller's name on invoices, such as the address and the tax number.", {
        expected: "a list of texts of at most 200 characters",
      }),
    })
    .prefault({}),
  fonts: list(z.string().min(1), "Font files (TrueType, OpenType or WOFF) to prefer over the built-in ones on invoices.", {
    expected: "a list of paths",
  }),
});

const webhooks = z.strictObject({
  allowPrivate: list(
    matching((text) => parseBlock(text) !== undefined || isHostName(text)),
    "Private addresses and host names that webhooks may be sent to. All other private addresses are refused.",
    { expected: "a list of IP addresses, CIDR blocks or host names" },
  ),
  timeoutMs: ms("How long an endpoint may take to answer.", 5 * second, 100, 10 * minute),
  responseMaxBytes: bytes("How much of an endpoint's answer is read.", 64 * KiB, 0, 16 * MiB),
  inFlightPerHost: integer("Deliveries sent to one host at once.", 2, 1, 1000, "deliveries"),
  inFlight: integer("Deliveries sent at once in all.", 64, 1, 10_000, "deliveries"),
});

const mail = z.strictObject({
  from: matching(isMailbox)
    .default("playtest <no-reply@localhost>")
    .meta(
      meta("Sender of every email.", {
        variable: "PLAYTEST_MAIL_FROM",
        expected: "an email address, alone or as Name <address>",
      }),
    ),
  smtpUrl: orNull(
    matching(hasScheme("smtp:", "smtps:")),
    "SMTP server that sends the email, with its user and password. Null: emails are written to the folder outbox.",
    {
      variable: "PLAYTEST_SMTP_URL",
      secret: true,
      expected: "an smtp:// or smtps:// URL, or null",
    },
  ),
});

const jobs = z.strictObject({
  leaseMs: ms(
    "How long after a server process died another process on the same PostgreSQL database takes over its background jobs.",
    45 * second,
    2 * second,
    hour,
  ),
});

const passwords = z.strictObject({
  scryptLogN: integer(
    "Cost of hashing a password: scrypt with N = 2^scryptLogN. Each step doubles time and memory; 17 takes 128 MiB.",
    17,
    14,
    20,
  ),
});

const retention = z.strictObject({
  everyMs: ms("How often expired data is looked for and removed.", hour, minute, 30 * day),
  mailMs: ms("How long sent emails are kept.", 30 * day, 0, 10 * year),
  deliveryMs: ms("How long webhook deliveries are kept.", 90 * day, 0, 10 * year),
  processorEventMs: ms(
    "How long it is remembered which events of the card processor were handled. Stripe repeats an event for 3 days.",
    90 * day,
    4 * day,
    10 * year,
  ),
});

/** What `config.json` may hold. Parsing `{}` gives the defaults. */
export const schema = z.strictObject({
  limits: limits.prefault({}).meta({ description: "Rate limits" }),
  http: http.prefault({}).meta({ description: "HTTP" }),
  pricing: pricing.prefault({}).meta({ description: "Prices and payouts" }),
  orders: orders.prefault({}).meta({ description: "Orders" }),
  playtesters: playtesters.prefault({}).meta({ description: "Playtesters" }),
  uploads: uploads.prefault({}).meta({ description: "Uploads" }),
  transcriber: transcriber.prefault({}).meta({ description: "Transcripts" }),
  checkout: checkout.prefault({}).meta({ description: "Checkout" }),
  stripe: stripe.prefault({}).meta({ description: "Card payments" }),
  crypto: crypto.prefault({}).meta({ description: "Crypto payments" }),
  invoices: invoices.prefault({}).meta({ description: "Invoices" }),
  webhooks: webhooks.prefault({}).meta({ description: "Webhooks" }),
  mail: mail.prefault({}).meta({ description: "Email" }),
  jobs: jobs.prefault({}).meta({ description: "Background jobs" }),
  passwords: passwords.prefault({}).meta({ description: "Passwords" }),
  retention: retention.prefault({}).meta({ description: "Retention" }),
  strict: toggle("Checks every reply against the API contract and watches transactions. For development.", false),
});

export type Settings = z.output<typeof schema>;

/** One setting of the schema. */
export interface Setting {
  /** With dots, as in `jobs.leaseMs`. */
  name: string;
  type: z.ZodType;
  variable: string | undefined;
  secret: boolean;
  isList: boolean;
}

/** Every setting, in the order of the schema. */
export const allSettings = (): Setting[] => settingsOf(schema, "");

function settingsOf(object: z.ZodObject, prefix: string): Setting[] {
  return Object.entries(object.shape).flatMap(([key, type]) => {
    const inner = type instanceof z.ZodPrefault ? type.unwrap() : type;
    if (inner instanceof z.ZodObject) return settingsOf(inner, `${prefix}${key}.`);
    const { "x-variable": variable, "x-secret": secret } = (type as z.ZodType).meta() ?? {};
    const isList = type instanceof z.ZodDefault && type.unwrap() instanceof z.ZodArray;
    const extra = { variable: variable as string | undefined, secret: secret === true, isList };
    return [{ name: prefix + key, type: type as z.ZodType, ...extra }];
  });
}

/** The settings, and what flags and the program itself decide. */
export interface Config extends Settings {
  /** Address clients use, without a trailing slash and without `/api/v1`: `--public-url`. */
  baseUrl: string;
  /** `--sandbox`. */
  sandbox: boolean;
  /** New accounts are verified at once. Only in a sandbox, and not with `--no-auto-verify`. */
  autoVerify: boolean;
  version: string;
}

export type Pricing = Settings["pricing"];
export type EvmNetwork = Settings["crypto"]["base"];

/** Production's. Tests and flags override. */
export const defaults: Config = {
  ...schema.parse({}),
  baseUrl: "http://127.0.0.1:4747",
  sandbox: false,
  autoVerify: false,
  version: "0.0.0",
};
