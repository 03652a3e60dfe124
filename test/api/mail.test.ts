import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Mail, type Mailer, MailRefused } from "../../server/mail/mailer.ts";
import { createOutbox } from "../../server/mail/outbox.ts";
import { queueMail } from "../../server/mail/queue.ts";
import { createSmtp } from "../../server/mail/smtp.ts";
import type { MailContent } from "../../server/mail/texts.ts";
import * as mails from "../../server/mail/texts.ts";
import * as playtesterMails from "../../server/playtests/slots/mails.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, startTime, type TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const mail: Mail = {
  id: "01957d5c-0000-7000-8000-000000000001",
  to: "tess@example.com",
  from: "playtest <no-reply@example.com>",
  subject: "Grüße aus Köln ☃",
  calendar: null,
  document: null,
  text: "Hallo Tess,\n\n.a line that starts with a dot\n",
  html: "<p>Hallo Tess</p>\n",
  unsubscribeUrl: null,
  createdAt: startTime,
  host: "games.example",
};

interface Got {
  from: string;
  to: string[];
  raw: string;
}

const headersOf = (raw: string) => raw.split(/\r?\n\r?\n/)[0]!;

describe("SMTP", () => {
  const got: Got[] = [];
  let smtp: SMTPServer;
  let mailer: Mailer;

  async function serveSmtp(options: SMTPServerOptions = {}): Promise<number> {
    smtp = new SMTPServer({
      authOptional: true,
      logger: false,
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom ? mailFrom.address : "";
          got.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
          done();
        });
      },
      ...options,
    });
    smtp.on("error", () => {});
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    const address = smtp.server.address();
    if (typeof address !== "object" || address === null) throw new Error("no port");
    mailer = createSmtp(`smtp://127.0.0.1:${address.port}`);
    return address.port;
  }

  beforeEach(() => void got.splice(0));
  afterEach(async () => {
    await mailer.close();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });

  it("message: both parts, encoded headers and a stable id", async () => {
    await serveSmtp();
    await mailer.send(mail);
    const [{ from, to, raw }] = got as [Got];
    expect([from, to]).toEqual(["no-reply@example.com", ["tess@example.com"]]);
    expect(headersOf(raw)).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(headersOf(raw)).toContain(`Message-ID: <${mail.id}@games.example>`);
    expect(headersOf(raw)).toContain("Date: Sun, 01 Mar 2026 12:00:00 +0000");
    expect(raw).toMatch(/Content-Type: text\/plain; charset=utf-8[\s\S]*\.a line that starts with a dot/);
    expect(raw).toMatch(/Content-Type: text\/html; charset=utf-8[\s\S]*<p>Hallo Tess<\/p>/);
  });

  it.each([
    ["https", "List-Unsubscribe=One-Click"],
    ["http", undefined],
  ])("unsubscribing at an %s address: the headers of RFC 2369, and with https those of RFC 8058", async (scheme, oneClick) => {
    await serveSmtp();
    const unsubscribeUrl = `${scheme}://playtest.example/unsubscribe?token=${"x".repeat(160)}.${"y".repeat(43)}`;
    await mailer.send({ ...mail, unsubscribeUrl });
    await mailer.send(mail);
    const [headers, security] = got.map(({ raw }) => headersOf(raw).replace(/\r?\n[ \t]+/g, " "));
    const value = (name: string, text = headers) => new RegExp(`^${name}: (.*)$`, "m").exec(text!)?.[1];
    expect(value("List-Unsubscribe")).toBe(`<${unsubscribeUrl}>`);
    expect(value("List-Unsubscribe-Post")).toBe(oneClick);
    expect(value("List-Unsubscribe", security)).toBeUndefined();
  });

  it.each([
    ["the subject", { subject: "Hello\r\nBcc: eve@example.com\r\n\r\nbody" }, 1],
    ["the address", { to: "tess@example.com\r\nBcc: eve@example.com" }, 0],
    ["the address, as a list", { to: "tess@example.com, eve@example.com" }, 0],
  ])("header injection: %s adds no header or recipient", async (_, change, sent) => {
    await serveSmtp();
    await Promise.allSettled([mailer.send({ ...mail, ...change })]);
    expect(got).toHaveLength(sent);
    for (const { to, raw } of got) {
      expect(to).toHaveLength(1);
      expect(to).not.toContain("eve@example.com");
      expect(headersOf(raw)).not.toMatch(/^Bcc:/im);
    }
  });

  it("authentication: with the user and password of the URL", async () => {
    const logins: unknown[] = [];
    const port = await serveSmtp({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    mailer = createSmtp(`smtp://me%40example.com:p%3Ass@127.0.0.1:${port}`);
    await mailer.send(mail);
    expect(logins).toEqual([["me@example.com", "p:ss"]]);
  });

  const refusing = (step: "onMailFrom" | "onRcptTo" | "onData", reply: string) => {
    const error = Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
    return { [step]: (_: unknown, __: unknown, done: (error: Error) => void) => done(error) };
  };
  const [sender, recipient, contents] = ["onMailFrom", "onRcptTo", "onData"] as const;

  it.each([
    ["no such mailbox", recipient, "550 no such mailbox", true],
    ["no such mailbox, with a code", recipient, "550 5.1.1 The email account that you tried to reach does not exist", true],
    ["no such domain", recipient, "554 5.1.2 Domain not found", true],
    ["the mailbox is closed", recipient, "550 5.2.1 The account is disabled", true],
    ["the mailbox takes no such size", recipient, "552 5.2.3 Message too large for this mailbox", true],
    ["the contents are refused", contents, "554 5.6.0 Message contents are malformed", true],
    ["for now", recipient, "451 no such mailbox", false],
    ["the mailbox is full", recipient, "452 4.2.2 Mailbox full", false],
    ["the mailbox is full, as servers say with 5xx, too", recipient, "552 5.2.2 Mailbox full", false],
    ["the mailbox is full, without a code", recipient, "552 mailbox full", false],
    ["a quota of ours", recipient, "550 5.4.5 Daily user sending quota exceeded", false],
    ["a quota of ours, without a code", recipient, "550 You have exceeded your daily limit", false],
    ["relaying", recipient, "550 5.7.1 Unable to relay", false],
    ["relaying, without a code", recipient, "554 Relay access denied", false],
    ["a policy", contents, "554 5.7.1 Message rejected due to policy", false],
    ["a block list", recipient, "554 Service unavailable; client host is on a block list", false],
    ["our address as the sender", sender, "550 5.1.8 Sender address does not exist", false],
    ["the sender, without a code", sender, "550 no such mailbox", false],
    ["the contents, without a code", contents, "554 Transaction failed", false],
    ["the mail system", recipient, "554 5.3.2 System not accepting network messages", false],
    ["the protocol", recipient, "503 5.5.1 Bad sequence of commands", false],
  ])("reply: final or tried again later: %s", async (_, step, reply, isFinal) => {
    await serveSmtp(refusing(step, reply));
    const error: unknown = await mailer.send(mail).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(reply);
    expect(error instanceof MailRefused).toBe(isFinal);
  });

  it("no answer: a temporary failure", async () => {
    const port = await serveSmtp();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    const error = await createSmtp(`smtp://127.0.0.1:${port}`)
      .send(mail)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(/ECONNREFUSED|ESOCKET/) });
    expect(error).not.toBeInstanceOf(MailRefused);
  });

  it("without TLS: nothing is sent to another machine", async () => {
    const port = await serveSmtp({ disabledCommands: ["STARTTLS"] });
    // 0.0.0.0 leads here too, and is no loopback address by name.
    mailer = createSmtp(`smtp://0.0.0.0:${port}`);
    await expect(mailer.send(mail)).rejects.toThrow(/STARTTLS|TLS/);
    expect(got).toEqual([]);
  });
});

describe("the mail job", () => {
  let server: TestServer;
  let removeStore: () => Promise<void>;
  const failures: (Error | undefined)[] = [];
  const tried: string[] = [];
  let sent: Pick<Mail, "text" | "html"> | undefined;

  beforeEach(async () => {
    const store = await reusedStore();
    removeStore = () => store.remove();
    server = await startTestServer({ store, config: (config) => Object.assign(config, { sandbox: false }) });
    tried.splice(0);
    server.deps.mailer.send = async ({ to, text, html }) => {
      sent = { text, html };
      tried.push(new Date(server.clock.now() - startTime).toISOString().slice(11, 16));
      const failure = failures.shift();
      if (failure) throw failure;
      server.mails.push({ ...mail, to });
    };
  });
  afterEach(async () => {
    failures.splice(0);
    await server.close();
    await removeStore();
  });

  const queue = () => server.deps.store.write((tx) => queueMail(tx, "tess@example.com", { subject: "s", text: "t", html: "h" }));
  const row = async () =>
    (await server.deps.store.read((q) => q.all<{ sent_at: number; failed_at: number }>("SELECT * FROM mails")))[0]!;

  it("retries for four days with growing pauses, keeps the reason, then gives up", async () => {
    for (let count = 0; count < 12; count++) failures.push(new Error("connection refused"));
    await queue();
    await server.advance(3 * 86_400_000);
    expect(await row()).toMatchObject({ sent_at: null, failed_at: null, error: "connection refused", tries: 9 });
    await server.advance(7 * 86_400_000);
    const firstDay = ["00:00", "00:01", "00:06", "00:36", "02:36", "08:36", "20:36"];
    expect(tried).toEqual([...firstDay, "20:36", "20:36", "20:36"]);
    expect(await row()).toMatchObject({ sent_at: null, failed_at: expect.any(Number), tries: 10 });
  });

  it("gives up when the link in it will have ended before the next try", async () => {
    for (let count = 0; count < 12; count++) failures.push(new Error("451 try later"));
    await withToken();
    await server.advance(7 * 86_400_000);
    expect(tried).toEqual(["00:00", "00:01", "00:06", "00:36"]);
    expect(await row()).toMatchObject({ failed_at: expect.any(Number), error: "451 try later" });
  });

  const token = "a-one-time-token";
  const withToken = () => {
    const letter = mails.composeReset({ name: "Tess", token, url: `https://example.com/reset-password?token=${token}` });
    return server.deps.store.write((tx) => queueMail(tx, "tess@example.com", letter));
  };

  it("stores a one-time token encrypted, sends it, and then forgets it", async () => {
    failures.push(new Error("451 try later"));
    await withToken();
    expect(JSON.stringify(await row())).not.toContain(token);
    await server.advance(0);
    expect(await row()).toMatchObject({ sealed: expect.any(String), sent_at: null });
    await server.advance(24 * 3_600_000);
    expect(sent!.text).toContain(`/reset-password?token=${token}\n`);
    expect(sent!.html).toContain(`/reset-password?token=${token}"`);
    expect(sent!.text).toContain(`use this token: ${token}\n`);
    expect(await row()).toMatchObject({ sealed: null, sent_at: expect.any(Number) });
    expect(JSON.stringify(await row())).not.toContain(token);
  });

  it("keeps the one-time token of a mail that is given up, encrypted, so that it can be sent again", async () => {
    failures.push(new MailRefused("550 no such mailbox"));
    await withToken();
    await server.advance(0);
    expect(await row()).toMatchObject({
      sealed: expect.any(String),
      failed_at: expect.any(Number),
      error: "550 no such mailbox",
    });
    expect(JSON.stringify(await row())).not.toContain(token);
  });

  it("sends once when the second attempt succeeds", async () => {
    failures.push(new Error("451 try later"));
    await queue();
    await server.advance(24 * 3_600_000);
    expect(server.mails.map(({ to }) => to)).toEqual(["tess@example.com"]);
    expect(await row()).toMatchObject({ sent_at: expect.any(Number), failed_at: null });
  });

  it("does not delay other jobs while the mail server is silent", async () => {
    const { deps } = server;
    let answer = () => {};
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    deps.mailer.send = () => silence;
    for (let count = 0; count < 100; count++) await queue();
    const other = { kind: "expire-order", key: "other", payload: { playtestId: "none" }, runAt: deps.clock.now() };
    await deps.store.write((tx) => deps.jobs.schedule(tx, other));
    const waiting = () => deps.store.read((q) => q.one("SELECT id FROM jobs WHERE kind = 'expire-order'"));
    await vi.waitUntil(async () => (await waiting()) === undefined, { timeout: 60_000 }).finally(answer);
  });

  it("gives up at once when the mail server refuses", async () => {
    failures.push(new MailRefused("550 no such mailbox"));
    await queue();
    await server.advance(24 * 3_600_000);
    expect(tried).toEqual(["00:00"]);
    expect(await row()).toMatchObject({ sent_at: null, failed_at: expect.any(Number) });
  });
});

it("writes each email to the outbox folder as it would have been sent", async () => {
  const folder = join(freshFolder(), "outbox");
  const outbox = createOutbox(folder);
  await outbox.send(mail);
  await outbox.send({ ...mail, html: null, id: "01957d5c-0000-7000-8000-000000000002" });
  expect(readdirSync(folder)).toEqual([`${mail.id}.eml`, "01957d5c-0000-7000-8000-000000000002.eml"]);
  const raw = readFileSync(join(folder, `${mail.id}.eml`), "utf8");
  expect(headersOf(raw)).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(headersOf(raw)).toContain("multipart/alternative");
  expect(raw).toContain("<p>Hallo Tess</p>");
});

it("writes links to the outbox folder whole, so that they can be copied", async () => {
  const folder = join(freshFolder(), "outbox");
  const token = "t".repeat(43);
  const url = `https://playtest.example.com/play/sign-in/confirm?token=${token}&next=%2Fplay%2Fslots`;
  const { text, html } = mails.composeSignIn({ name: "Tess", token, url });
  await createOutbox(folder).send({ ...mail, text, html });
  const raw = readFileSync(join(folder, `${mail.id}.eml`), "utf8");
  expect(headersOf(raw)).toMatch(/^From: playtest <no-reply@example.com>$/m);
  expect(raw.split("\n").filter((line) => line === url)).toHaveLength(1);
});

describe("templates", () => {
  const evil = {
    name: 'Bobby\r\nBcc: eve@example.com <script>alert("1")</script>',
    gameName: "Star\r\nLanes <b> at https://star.evil.example/x, www.evil.example",
    url: "https://x.example/?a=1&b=2",
  };
  const config = { baseUrl: "https://playtest.example", payments: { enabled: true } };
  const about = { ...evil, config, zone: null, slotId: "s", playtestId: "p", playtesterName: evil.name };
  const accepted = { payoutCents: 100, paidWhen: "now" as const, score: 5, comment: "<b>", lacksDetails: true };
  const written = (letter: mails.Letter) => mails.compose({ ...letter, to: evil.name });
  const declined = written(playtesterMails.declinedLetter({ ...about, customMessage: "<img src=x>\nline two & more" }));
  const letters: [string, MailContent][] = [
    ["verification", mails.composeVerification({ ...evil, token: "t" })],
    ["reset", mails.composeReset({ ...evil, token: "t" })],
    ["video", written(playtesterMails.submittedLetter({ ...about, notes: "<b>", isPaid: true }))],
    ["acceptance", written(playtesterMails.acceptedLetter({ ...about, ...accepted }))],
    ["rejection", written(playtesterMails.rejectedLetter({ ...about, reason: "<i>" }))],
    ["deadline", written(playtesterMails.dueLetter({ ...about, deadlineAt: startTime, reopens: true }))],
    [
      "problem",
      written(
        playtesterMails.problemLetter({
          ...about,
          asksForKey: false,
          isOwner: true,
          isPaid: true,
          reason: "It crashes.",
          notes: "<i>",
          until: startTime,
        }),
      ),
    ],
    [
      "answer",
      written(playtesterMails.resolvedLetter({ ...about, outcome: "unblocked", message: "<b>", deadlineAt: startTime })),
    ],
    ["unanswered problem", written(playtesterMails.unansweredLetter(about))],
    ["new application", written(playtesterMails.appliedLetter({ ...about, response: "<i>", until: startTime }))],
    [
      "approval",
      written(playtesterMails.approvedLetter({ ...about, deadlineAt: startTime, scheduledAt: null, calendar: undefined })),
    ],
    ["decline", declined],
    ["closing", written(playtesterMails.closedLetter(about))],
  ];

  it("a subject with line breaks is one line", () => {
    const letter = { subject: "Video of Bobby\r\nBcc: eve@example.com\u2028\u202e", paragraphs: ["It waits."] };
    expect(mails.compose({ ...letter, to: null }).subject).toBe("Video of Bobby Bcc: eve@example.com");
  });

  it.each(letters)(
    "%s: one line of subject, names without links, nothing of people's words as HTML",
    (name, { subject, text, html }) => {
      expect(subject).not.toMatch(/[\r\n]/);
      expect(text).toMatch(
        name === "verification" ? /^Hello,\n/ : /^Hello Bobby Bcc: eve example com <script>alert\("1"\)<\/script>,\n/,
      );
      expect(`${subject} ${text}`).not.toMatch(/evil\.example|eve@|https?:\/\/star/);
      expect(html).not.toMatch(/<script|<b>|<i>|<img/);
    },
  );

  it.each([
    ["Lantern Deep v1.5 (2.0 beta)", "Lantern Deep v1.5 (2.0 beta)"],
    ["Dr. No, Inc.", "Dr. No, Inc."],
    ["evil.example/login", "evil example/login"],
    ["HTTPS://evil.example", "evil example"],
    ["evil.пример", "evil пример"],
    ["call\u2028me@evil.example", "call me evil example"],
    ["\u202egro.live\u202c \u2067Ann\u2069\u200f", "gro live Ann"],
    ["evil\u3002example evil\uff0eexample", "evil example evil example"],
  ])("the name %s is written %s", (name, shown) => {
    expect(mails.nameInMail(name)).toBe(shown);
  });

  it("the owner's words: unchanged in the text, escaped in the HTML", () => {
    const { text, html } = declined;
    expect(text).toContain("<img src=x>\nline two & more");
    expect(html).toContain("&lt;img src=x&gt;<br>line two &amp; more");
  });
});

it("a calendar file is attached as one", async () => {
  const folder = freshFolder();
  await createOutbox(folder).send({ ...mail, calendar: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n" });
  const raw = readFileSync(join(folder, `${mail.id}.eml`), "utf8");
  expect(raw).toMatch(/Content-Type: text\/calendar; charset=utf-8; method=PUBLISH;\s+name=playtest\.ics/);
  expect(raw).toMatch(/Content-Disposition: attachment; filename=playtest\.ics/);
});
