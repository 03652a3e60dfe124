import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as payoutLetters from "../../server/admin/payouts/letters.ts";
import * as billingLetters from "../../server/billing/letters.ts";
import * as chatLetters from "../../server/chat/letters.ts";
import * as eventMails from "../../server/events/event-mails.ts";
import * as webhookLetters from "../../server/events/webhooks/letters.ts";
import * as factorMails from "../../server/mail/factor-texts.ts";
import * as payoutMails from "../../server/mail/payout-texts.ts";
import * as accountMails from "../../server/mail/texts.ts";
import { compose, type Letter, type MailContent } from "../../server/mail/texts.ts";
import * as orderLetters from "../../server/playtests/letters.ts";
import * as publicationMails from "../../server/playtests/publications/letters.ts";
import * as scheduleMails from "../../server/playtests/schedule/mails.ts";
import * as slotMails from "../../server/playtests/slots/mails.ts";
import * as teamMails from "../../server/playtests/teams/letters.ts";
import { mailProblems } from "../helpers/mail-structure.ts";

const at = Date.UTC(2026, 2, 4, 12);

/** Everything that any of the emails tells of. Each takes what it needs. */
const about = {
  config: { baseUrl: "https://playtest.example", payments: { enabled: true }, retention: { deliveryMs: 30 * 24 * 3_600_000 } },
  zone: "Europe/Berlin",
  name: "Tess",
  brand: "Lantern Playtests",
  gameName: "Lantern Deep",
  playtesterName: "Tess",
  claimantName: "Ann",
  memberName: "Ben",
  joinedName: "Dana",
  remedy: "Ask another friend first.",
  isReserved: false,
  email: "tess@example.com",
  to: "new@example.com",
  token: "TOKEN",
  url: "https://playtest.example/link?token=TOKEN",
  role: "playtester",
  days: 14,
  at,
  address: "203.0.113.7",
  agent: "Firefox on Windows",
  resetUrl: "https://playtest.example/play/forgot",
  keysUrl: "https://playtest.example/play/account/keys",
  key: { id: "1", name: "ci", prefix: "pt_sk_1234" },
  passkey: "My phone",
  left: 9,
  method: "paypal",
  masked: "…@example.com",
  slotId: "SLOT",
  playtestId: "PLAYTEST",
  notes: "The sound is missing after the menu.",
  response: "I play a lot.",
  reason: "The video has no sound.",
  message: "Fixed in build 12.",
  customMessage: "We look for beginners.",
  retry: { slotId: "RETRY", deadlineAt: at },
  score: 4,
  comment: "Very clear.",
  lacksDetails: true,
  outcome: "unblocked",
  verdict: "accepted",
  answer: "accepted",
  absence: "declined",
  ending: "expired",
  platform: "YouTube",
  isPaid: true,
  isOwner: true,
  isReviewed: false,
  isClaimant: true,
  paidWhen: "now",
  asksForKey: false,
  deadlineAt: at,
  until: at,
  confirmBy: at,
  answerBy: at,
  scheduledAt: at,
  previousAt: at - 3_600_000,
  proposedAt: at + 3_600_000,
  calendar: "BEGIN:VCALENDAR",
  payoutCents: 1000,
  shareCents: 500,
  paidCents: 1000,
  accepted: 2,
  videos: 5,
  toReview: 2,
  total: 3,
  unused: 1,
  needed: 2,
  newKeys: 1,
  paymentId: "PAYMENT",
  payoutId: "PAYOUT",
  approvalId: "APPROVAL",
  conversationId: "CONVERSATION",
  webhookId: "WEBHOOK",
  cents: 2000,
  balanceCents: 900,
  thresholdCents: 2000,
  totalCents: 8000,
  paidAt: at,
  retryAt: at,
  waitsUntil: at,
  description: "4 × playtest of 60 minutes, 1 player",
  invoice: { id: "INVOICE", number: "PT-2026-000001" },
  why: "The amount was too small.",
  failure: "Account closed",
  takesCards: true,
  budget: "$90.00 of $100.00 of the budget of all keys per month are spent",
  percent: 80,
  planName: "Indie Monthly",
  disputeEnding: "won",
  wasLifted: false,
  stillFrozen: false,
  keyName: "ci",
  isForOwner: true,
  from: "Tess",
  firstMessage: "Is there a new build?",
  unreadCount: 2,
  gone: false,
  offers: [
    {
      playtestId: "PLAYTEST",
      gameName: "Lantern Deep",
      payoutCents: 1000,
      durationMinutes: 60,
      playerCount: 1,
      isChosen: false,
      forTeam: false,
      hours: 24,
      scheduledAt: null,
    },
    {
      playtestId: "FIXED",
      gameName: "Cave",
      payoutCents: 4000,
      durationMinutes: 120,
      playerCount: 2,
      isChosen: true,
      forTeam: false,
      hours: 72,
      scheduledAt: at,
    },
    {
      playtestId: "TEAM",
      gameName: "Dale",
      payoutCents: 0,
      durationMinutes: 30,
      playerCount: 3,
      isChosen: false,
      forTeam: true,
      hours: 72,
      scheduledAt: null,
    },
  ],
  heldAll: 3,
  entries: [
    slotMails.closedLetter({
      config: { baseUrl: "https://playtest.example", payments: { enabled: true } },
      gameName: "Lantern Deep",
    }),
  ],
  footer: {
    why: "You get this email because of your setting for “Receipts”.",
    off: { label: "Turn these emails off, or get one email a day", url: "https://playtest.example/unsubscribe" },
    all: null,
  },
};

/** The functions of a module that write an email. A new one is tested without being listed. */
const writersIn = (module: object) =>
  Object.entries(module).filter(([name]) => /^compose[A-Z]|Letter$/.test(name)) as [string, (given: unknown) => unknown][];

const mailOf = (write: (given: unknown) => unknown, given: object): MailContent => {
  const written = write(given) as Letter | MailContent;
  if (!("paragraphs" in written)) return written;
  return compose({ ...written, to: "Tess", ...("entries" in written && { footer: about.footer }) });
};

const previewOf = (html: string) => /<div class="preview"[^>]*>(.*?)(?:&#847;|<)/.exec(html)?.[1];

const server = join(import.meta.dirname, "../../server");

/** The files that write emails. */
const modules: Record<string, object> = {
  "admin/payouts/letters.ts": payoutLetters,
  "billing/letters.ts": billingLetters,
  "chat/letters.ts": chatLetters,
  "events/event-mails.ts": eventMails,
  "events/webhooks/letters.ts": webhookLetters,
  "mail/factor-texts.ts": factorMails,
  "mail/payout-texts.ts": payoutMails,
  "mail/texts.ts": accountMails,
  "playtests/letters.ts": orderLetters,
  "playtests/publications/letters.ts": publicationMails,
  "playtests/schedule/mails.ts": scheduleMails,
  "playtests/slots/mails.ts": slotMails,
  "playtests/teams/letters.ts": teamMails,
};
const { "playtests/teams/letters.ts": _, ...others } = modules;

type Writer = (given: unknown) => unknown;
const ofTeam = { ...about, at: "Wed 2026-03-04 13:00, Europe/Berlin (UTC+01:00)" };

const rows = [
  ...Object.values(others).flatMap((module) => writersIn(module).map(([name, write]) => [name, mailOf(write, about)] as const)),
  ...[true, false].flatMap((hours) =>
    ([billingLetters.composeDisputed, billingLetters.composeDisputeEnded] as ((given: unknown) => MailContent)[]).map(
      (write) =>
        [`${write.name}: of a plan, ${hours ? "with" : "without"} its hours`, write({ ...about, plan: { hours } })] as const,
    ),
  ),
  ...writersIn(teamMails).map(([name, write]) => [name, mailOf(write, ofTeam)] as const),
  ["joinedLetter: to whoever joined", mailOf(teamMails.joinedLetter as Writer, { ...ofTeam, isClaimant: false })] as const,
  [
    "requestLetter: of a slot that the team has",
    mailOf(teamMails.requestLetter as Writer, { ...ofTeam, isReserved: true }),
  ] as const,
];

it.each(rows)("%s: has a preview, dark styles and the site's name, and no command and no bare time", (_, mail) => {
  expect(mailProblems(mail)).toEqual([]);
});

it.each(rows)("%s: reads well alone", (_, { subject, text, html }) => {
  expect(`Subject: ${subject}\nPreview: ${previewOf(html)}\n\n${text}`).toMatchSnapshot();
});

it("every file that writes an email has its emails here", () => {
  const files = readdirSync(server, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const writing = files.filter((file) => /^\s+paragraphs: \[/m.test(readFileSync(join(server, file), "utf8")));
  expect(writing.sort()).toEqual(Object.keys(modules));
});

it("an email without what every email has is found", () => {
  const bare = { subject: "Due 2026-03-04 12:00 UTC", text: "Run: playtest review show 1", html: "<!doctype html><p>Hello</p>" };
  expect(mailProblems(bare)).toHaveLength(6);
});

it.each([
  ["You earned $NaN.", ["a missing value"]],
  ["See https://playtest.example/play/slots/undefined", ["a missing value"]],
  ["From null until [object Object]", ["a missing value"]],
  ["Unsubscribe: https://playtest.example/unsubscribe?token=QNaNx-_null9.undefinedZ", []],
])("%s: lacks %j", (text, expected) => {
  const [, { subject, html }] = rows[0]!;
  expect(mailProblems({ subject, text, html }).map((problem) => problem.split(": ").pop())).toEqual(expected);
});
