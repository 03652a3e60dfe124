import { expect, it } from "vitest";
import * as factorMails from "../../server/mail/factor-texts.ts";
import * as payoutMails from "../../server/mail/payout-texts.ts";
import * as accountMails from "../../server/mail/texts.ts";
import { compose, type Letter, type MailContent } from "../../server/mail/texts.ts";
import * as publicationMails from "../../server/playtests/publications/letters.ts";
import * as scheduleMails from "../../server/playtests/schedule/mails.ts";
import * as slotMails from "../../server/playtests/slots/mails.ts";
import * as teamMails from "../../server/playtests/teams/letters.ts";
import { mailProblems } from "../helpers/mail-structure.ts";

const at = Date.UTC(2026, 2, 4, 12);

/** Everything that any of the emails tells of. Each takes what it needs. */
const about = {
  config: { baseUrl: "https://playtest.example", payments: { enabled: true } },
  zone: "Europe/Berlin",
  name: "Tess",
  brand: "Lantern Playtests",
  gameName: "Lantern Deep",
  playtesterName: "Tess",
  claimantName: "Ann",
  memberName: "Ben",
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
  publishing: false,
  asksForKey: false,
  deadlineAt: at,
  until: at,
  confirmBy: at,
  answerBy: at,
  scheduledAt: at,
  previousAt: at - 3_600_000,
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
};

/** The functions of a module that write an email. A new one is tested without being listed. */
const writersIn = (module: object) =>
  Object.entries(module).filter(([name]) => /^compose[A-Z]|Letter$/.test(name)) as [string, (given: unknown) => unknown][];

const mailOf = (write: (given: unknown) => unknown, given: object): MailContent => {
  const written = write(given) as Letter | MailContent;
  return "paragraphs" in written ? compose({ ...written, to: "Tess" }) : written;
};

const previewOf = (html: string) => /<div class="preview"[^>]*>(.*?)(?:&#847;|<)/.exec(html)?.[1];

const rows = [
  ...[accountMails, factorMails, payoutMails, publicationMails, scheduleMails, slotMails].flatMap((module) =>
    writersIn(module).map(([name, write]) => [name, mailOf(write, about)] as const),
  ),
  ...writersIn(teamMails).map(
    ([name, write]) => [name, mailOf(write, { ...about, at: "Wed 2026-03-04 13:00, Europe/Berlin (UTC+01:00)" })] as const,
  ),
];

it.each(rows)("%s: has a preview, dark styles and the site's name, and no command and no bare time", (_, mail) => {
  expect(mailProblems(mail)).toEqual([]);
});

it.each(rows)("%s: reads well alone", (_, { subject, text, html }) => {
  expect(`Subject: ${subject}\nPreview: ${previewOf(html)}\n\n${text}`).toMatchSnapshot();
});

it("an email without what every email has is found", () => {
  const bare = { subject: "Due 2026-03-04 12:00 UTC", text: "Run: playtest review show 1", html: "<!doctype html><p>Hello</p>" };
  expect(mailProblems(bare)).toHaveLength(6);
});
