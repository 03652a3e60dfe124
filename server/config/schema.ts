import * as z from "zod";
import { parseRange } from "../../src/contract/text/addresses.ts";
import { cardProcessors } from "./card-processors.ts";
import { crypto } from "./crypto-schema.ts";
import {
  bytes,
  cents,
  day,
  described,
  hasScheme,
  hour,
  integer,
  isHostName,
  isMailbox,
  KiB,
  list,
  MiB,
  matching,
  minute,
  ms,
  orNull,
  perMinute,
  second,
  TiB,
  toggle,
  year,
} from "./fields.ts";
import { highlights } from "./highlights-schema.ts";
import { invoices } from "./invoices-schema.ts";
import { backup, metrics } from "./operation-schema.ts";
import { site } from "./site-schema.ts";
import { blobs, clips, publishing, transcriber, uploads } from "./video-schema.ts";

/**
 * Every setting of a server: its type, range, unit, default, description and, where it has one, its environment variable.
 * `config.json` is checked against it, and the reference in the documentation is written from it.
 */

const limits = z.strictObject({
  enabled: toggle("Whether requests are rate limited. `--rate-limit off` turns it off.", true),
  keyPerMinute: perMinute("Requests per API key.", 600),
  keyBurst: integer("Requests an API key may send at once after it was idle.", 100, 1, 1_000_000, "requests"),
  accountFactor: integer(
    "All API keys and browser sessions of an account together may send this many times what one API key may.",
    3,
    1,
    1000,
    "times one API key",
  ),
  keylessPerMinute: perMinute("Requests without an API key, per client address.", 60),
  registerPerMinute: perMinute("New accounts, per client address.", 10),
  keysPerAccount: integer("API keys an account may have that still work.", 100, 1, 10_000, "API keys"),
  passwordPerMinute: perMinute(
    "Sign-ins and password changes, per client address. Repeated failures for one account are also slowed down.",
    5,
  ),
});

const http = z.strictObject({
  bodyBytes: bytes(
    "Largest JSON body of a request to any endpoint. Most endpoints take at most 64 KiB. Uploads have limits of their own.",
    MiB,
    KiB,
    100 * MiB,
  ),
  headersTimeoutMs: ms("How long a client may take to send the headers of a request.", 15 * second, second, 10 * minute),
  requestTimeoutMs: ms("How long a client may take to send the JSON body of a request.", 30 * second, second, hour),
  keepAliveTimeoutMs: ms("How long an idle connection is kept open for the next request.", 65 * second, second, hour),
  idleTimeoutMs: ms(
    "A connection with a request in progress is closed when no data moves for this long.",
    5 * minute,
    second,
    day,
  ),
  maxConnections: integer(
    "Connections open at once, fewer where the system's limit of open files requires it. Further ones are refused. From 80 % on, idle connections are closed after a second.",
    10_000,
    1,
    1_000_000,
    "connections",
  ),
  maxConnectionsPerAddress: integer(
    "Connections that one client address, other than a proxy's, may have open at once. Further ones are refused.",
    256,
    1,
    1_000_000,
    "connections",
  ),
  readyMinFreeBytes: bytes(
    "With less free space on the disk of the data folder, /readyz reports 503, so that load balancers send requests elsewhere. 0: free space is not checked.",
    64 * MiB,
    0,
    1024 * TiB,
  ),
  graceMs: ms(
    "How long the server still answers after SIGTERM, while /readyz reports 503 and each reply ends its connection, so that load balancers and clients move on. Not after Ctrl-C and not in a sandbox. `--drain` sets it for one run.",
    5 * second,
    0,
    hour,
  ),
  drainMs: ms("How long requests and jobs in progress may then take to finish before they are cut off.", 2 * second, 0, hour),
  heartbeatMs: ms(
    "How often a silent event stream sends a heartbeat and checks that its API key is still valid.",
    15 * second,
    second,
    10 * minute,
  ),
  maxStreams: integer("Event streams one account may have open at once.", 100, 1, 100_000, "streams"),
  trustedProxies: list(
    matching((text) => parseRange(text) !== undefined),
    "Proxies in front of the server. The client address is taken from the X-Forwarded-For header they send. Empty with --behind-proxy: whoever connects from this machine or a private network is the proxy.",
    { variable: "PLAYTEST_TRUSTED_PROXIES", expected: "a list of IP addresses or CIDR blocks, such as 10.0.0.0/8" },
  ),
});

const admin = z.strictObject({
  reauthenticateMinutes: integer(
    "How long an administrator with a second factor can move money after entering a code. 0: no code is asked for.",
    15,
    0,
    1440,
    "minutes",
  ),
  requireSecondFactor: toggle("Whether only administrators with a second factor can move money.", false),
});

const security = z.strictObject({
  contact: orNull(
    matching(hasScheme("https:", "mailto:", "tel:")),
    "Where to report a vulnerability of this server. It is published at /.well-known/security.txt. Null: that page does not exist.",
    { variable: "PLAYTEST_SECURITY_CONTACT", expected: "a mailto:, https:// or tel: URL, or null" },
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

const payments = z.strictObject({
  enabled: toggle(
    "Whether orders cost money and playtesters earn it. False, for a studio's own testers: new orders are free, nobody earns, and prices are shown nowhere. What was owed before stays owed and visible.",
    true,
  ),
});

const payouts = z.strictObject({
  holdDays: integer(
    "How long earnings are held before they can be paid out, when their game owner had paid by card. 0: not at all.",
    7,
    0,
    365,
    "days",
  ),
  detailsHoldHours: integer(
    "How long new payout details of a playtester wait before a payout to them can be made, so that a stolen account is noticed before its money is gone. 0: not at all.",
    48,
    0,
    720,
    "hours",
  ),
});

const orders = z.strictObject({
  lowCreditCents: cents("An owner whose credit falls below this with an order is told. 0: nobody is.", 2000),
  trialMaxSlots: integer("Slots in a game's free public trial, at most.", 5, 1, 1000, "slots"),
  payWithinMs: ms("An order that is not paid within this time is cancelled.", day, minute, year),
  answerProblemWithinMs: ms(
    "A slot whose reported problem is not answered within this time is cancelled: the owner is refunded, the playtester is not paid.",
    14 * day,
    minute,
    year,
  ),
});

const playtesters = z.strictObject({
  maxReserved: integer("Slots a playtester may have reserved at once.", 3, 1, 1000, "slots"),
  minVideoPercent: described(
    z.nullable(z.int().check(z.gte(0), z.lte(100))).default(null),
    "How long a video must be at least, in percent of the booked minutes. 0: no minimum. Null: 50, and no minimum in a sandbox. A video whose length cannot be read is accepted.",
    { unit: "percent", expected: "a whole number from 0 to 100, or null" },
  ),
  minPicturePercent: integer(
    "How much of a video must have a picture that is neither black for 5 seconds nor frozen for a minute, in percent of the video. 0: no minimum. A video that ffmpeg could not measure is accepted, and so is one that is not measured yet in the last hour before the deadline.",
    0,
    0,
    100,
    "percent",
  ),
  minSoundPercent: integer("How much of it must not be silent for a minute. The same holds.", 0, 0, 100, "percent"),
  remindBeforeMs: ms("How long before a slot's deadline its playtester gets a reminder.", 4 * hour, 0, 30 * day),
});

const multiplayer = z.strictObject({
  friends: toggle(
    "Whether a playtester who claims a slot for several players names friends on this server, who each confirm and get a share of the payout. False: one playtester claims it and brings the others.",
    false,
  ),
  confirmWithinMs: ms("How long the named friends have to confirm. Then the slot is open again.", 12 * hour, minute, 7 * day),
  maxFriends: integer("Friends, requests and blocked playtesters an account may have.", 200, 1, 10_000, "playtesters"),
});

const games = z.strictObject({
  maxPerAccount: integer("Games an account may have.", 1_000, 1, 1_000_000, "games"),
});

const checkout = z.strictObject({
  expireMs: ms("How long a checkout page can be paid. With Stripe: 30 minutes to 24 hours.", day, minute, 30 * day),
});

const webhooks = z.strictObject({
  allowPrivate: list(
    matching((text) => parseRange(text) !== undefined || isHostName(text)),
    "Private addresses and host names that the server may connect to: those of webhook endpoints, trackers of findings, PeerTube and the x402 facilitator. All other private addresses are refused.",
    { expected: "a list of IP addresses, CIDR blocks or host names" },
  ),
  timeoutMs: ms("How long an endpoint may take to answer.", 5 * second, 100, 10 * minute),
  responseMaxBytes: bytes("How much of an endpoint's answer is read.", 64 * KiB, 0, 16 * MiB),
  inFlightPerHost: integer("Deliveries sent to one host at once.", 2, 1, 1000, "deliveries"),
  maxPerAccount: integer("Webhooks an account may have.", 100, 1, 10_000, "webhooks"),
  inFlight: integer("Deliveries sent at once in all.", 64, 1, 10_000, "deliveries"),
});

const mail = z.strictObject({
  from: described(matching(isMailbox).default("playtest <no-reply@localhost>"), "Sender of every email.", {
    variable: "PLAYTEST_MAIL_FROM",
    expected: "an email address, alone or as Name <address>",
  }),
  smtpUrl: orNull(
    matching(hasScheme("smtp:", "smtps:")),
    "SMTP server that sends the email, with its user and password. Null: emails are written to the directory outbox.",
    {
      variable: "PLAYTEST_SMTP_URL",
      secret: true,
      expected: "an smtp:// or smtps:// URL, or null",
    },
  ),
  digestHour: integer("Hour of the day, UTC, at which the daily emails are sent.", 8, 0, 23, "hours"),
  perPersonPerHour: integer(
    "Emails about events that a person gets in an hour. Further ones are collected into one email. Emails about the security of an account are not counted.",
    20,
    1,
    10_000,
    "emails",
  ),
  unreadAfterMs: ms(
    "How long a message is unread before an email mentions it. Until it is read, no other does.",
    10 * minute,
    0,
    7 * day,
  ),
});

const database = z.strictObject({
  readUrl: orNull(
    matching((url) => /^postgres(ql)?:\/\//.test(url)),
    "A standby of the PostgreSQL database that answers reads, as long as it has everything that was committed before. Null: the database itself answers.",
    {
      variable: "PLAYTEST_DATABASE_READ_URL",
      secret: true,
      expected: "a postgres:// URL, or null",
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
  limits: described(limits.prefault({}), "Rate limits"),
  http: described(http.prefault({}), "HTTP"),
  admin: described(admin.prefault({}), "Administrators"),
  security: described(security.prefault({}), "Security"),
  payments: described(payments.prefault({}), "Payments"),
  pricing: described(pricing.prefault({}), "Prices and payouts"),
  payouts: described(payouts.prefault({}), "Payouts"),
  games: described(games.prefault({}), "Games"),
  orders: described(orders.prefault({}), "Orders"),
  playtesters: described(playtesters.prefault({}), "Playtesters"),
  multiplayer: described(multiplayer.prefault({}), "Multiplayer playtests"),
  uploads: described(uploads.prefault({}), "Uploads"),
  blobs: described(blobs.prefault({}), "Storage of files"),
  backup: described(backup.prefault({}), "Backups"),
  transcriber: described(transcriber.prefault({}), "Transcripts"),
  clips: described(clips.prefault({}), "Clips"),
  publishing: described(publishing.prefault({}), "Publishing"),
  highlights: described(highlights.prefault({}), "Highlights"),
  checkout: described(checkout.prefault({}), "Checkout"),
  ...cardProcessors,
  crypto: described(crypto.prefault({}), "Crypto payments"),
  invoices: described(invoices.prefault({}), "Invoices"),
  webhooks: described(webhooks.prefault({}), "Webhooks"),
  mail: described(mail.prefault({}), "Email"),
  database: described(database.prefault({}), "Database"),
  jobs: described(jobs.prefault({}), "Background jobs"),
  metrics: described(metrics.prefault({}), "Metrics"),
  passwords: described(passwords.prefault({}), "Passwords"),
  retention: described(retention.prefault({}), "Retention"),
  ...site,
  strict: toggle("Checks every reply against the API contract and watches transactions. For development.", false),
});

export type Settings = z.output<typeof schema>;

/** Options for parsing once: zod's default, compiling a parser first, pays off only when it is used again. */
export const withoutJit = { jitless: true };

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
  /** `--behind-proxy`. */
  behindProxy: boolean;
  version: string;
}

export type Pricing = Settings["pricing"];
export type EvmNetwork = Settings["crypto"]["base"];
