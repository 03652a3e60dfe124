import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Mail, type Mailer, MailRefused } from "../../server/mail/mailer.ts";
import { createOutbox } from "../../server/mail/outbox.ts";
import { queueMail } from "../../server/mail/queue.ts";
import { createSmtp } from "../../server/mail/smtp.ts";
import type { Letter } from "../../server/mail/texts.ts";
import * as mails from "../../server/mail/texts.ts";
import * as playtesterMails from "../../server/playtests/slots/mails.ts";
import { startTestServer, startTime, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";

const mail: Mail = {
  id: "01957d5c-0000-7000-8000-000000000001",
  to: "tess@example.com",
  from: "playtest <no-reply@example.com>",
  subject: "Grüße aus Köln ☃",
  text: "Hallo Tess,\n\n.a line that starts with a dot\n",
  html: "<p>Hallo Tess</p>\n",
  createdAt: startTime,
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

  it("sends both parts with encoded headers and a stable id", async () => {
    await serveSmtp();
    await mailer.send(mail);
    const [{ from, to, raw }] = got as [Got];
    expect([from, to]).toEqual(["no-reply@example.com", ["tess@example.com"]]);
    expect(headersOf(raw)).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(headersOf(raw)).toContain(`Message-ID: <${mail.id}@playtest>`);
    expect(headersOf(raw)).toContain("Date: Sun, 01 Mar 2026 12:00:00 +0000");
    expect(raw).toMatch(/Content-Type: text\/plain; charset=utf-8[\s\S]*\.a line that starts with a dot/);
    expect(raw).toMatch(/Content-Type: text\/html; charset=utf-8[\s\S]*<p>Hallo Tess<\/p>/);
  });

  it.each([
    ["the subject", { subject: "Hello\r\nBcc: eve@example.com\r\n\r\nbody" }, 1],
    ["the address", { to: "tess@example.com\r\nBcc: eve@example.com" }, 0],
    ["the address, as a list", { to: "tess@example.com, eve@example.com" }, 0],
  ])("lets nobody add a header or a recipient through %s", async (_, change, sent) => {
    await serveSmtp();
    await Promise.allSettled([mailer.send({ ...mail, ...change })]);
    expect(got).toHaveLength(sent);
    for (const { to, raw } of got) {
      expect(to).toHaveLength(1);
      expect(to).not.toContain("eve@example.com");
      expect(headersOf(raw)).not.toMatch(/^Bcc:/im);
    }
  });

  it("logs in with the user and password of the URL", async () => {
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

  const failing = (responseCode: number) => ({
    onRcptTo: (_: unknown, __: unknown, done: (error: Error) => void) =>
      done(Object.assign(new Error("no such mailbox"), { responseCode })),
  });

  it("tells a refusal for good from one to try again", async () => {
    await serveSmtp(failing(550));
    await expect(mailer.send(mail)).rejects.toBeInstanceOf(MailRefused);
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    await serveSmtp(failing(451));
    const temporary = await mailer.send(mail).catch((error: unknown) => error);
    expect(temporary).toBeInstanceOf(Error);
    expect(temporary).not.toBeInstanceOf(MailRefused);
  });

  it("tries again when nobody answers", async () => {
    const port = await serveSmtp();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    const error = await createSmtp(`smtp://127.0.0.1:${port}`)
      .send(mail)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(/ECONNREFUSED|ESOCKET/) });
    expect(error).not.toBeInstanceOf(MailRefused);
  });

  it("sends nothing in the clear to another machine", async () => {
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

  beforeEach(async () => {
    const store = await drivers[0]!.open();
    removeStore = () => store.remove();
    server = await startTestServer({ store });
    tried.splice(0);
    server.deps.mailer.send = async ({ to }) => {
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

  const queue = () =>
    server.deps.store.write((tx) => queueMail(server.deps, tx, "tess@example.com", { subject: "s", text: "t", html: "h" }));
  const row = async () =>
    (await server.deps.store.read((q) => q.all<{ sent_at: number; failed_at: number }>("SELECT * FROM mails")))[0]!;

  it("tries again after 1 min, 5 min, 30 min, 2 h and 6 h, then gives up", async () => {
    for (let count = 0; count < 7; count++) failures.push(new Error("connection refused"));
    await queue();
    await server.advance(24 * 3_600_000);
    expect(tried).toEqual(["00:00", "00:01", "00:06", "00:36", "02:36", "08:36"]);
    expect(await row()).toMatchObject({ sent_at: null, failed_at: expect.any(Number) });
  });

  it("sends once when the second try works", async () => {
    failures.push(new Error("451 try later"));
    await queue();
    await server.advance(24 * 3_600_000);
    expect(server.mails.map(({ to }) => to)).toEqual(["tess@example.com"]);
    expect(await row()).toMatchObject({ sent_at: expect.any(Number), failed_at: null });
  });

  it("takes no place from other work while the mail server is silent", async () => {
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
    await vi.waitUntil(async () => (await waiting()) === undefined, { timeout: 5_000 }).finally(answer);
  });

  it("gives up at once what the mail server refuses", async () => {
    failures.push(new MailRefused("550 no such mailbox"));
    await queue();
    await server.advance(24 * 3_600_000);
    expect(tried).toEqual(["00:00"]);
    expect(await row()).toMatchObject({ sent_at: null, failed_at: expect.any(Number) });
  });
});

it("writes each mail to the outbox folder as it would have been sent", async () => {
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

describe("templates", () => {
  const evil = {
    name: 'Bobby\r\nBcc: eve@example.com <script>alert("1")</script>',
    gameName: "Star\r\nLanes <b>",
    url: "https://x.example/?a=1&b=2",
  };
  const letters: [string, Letter][] = [
    ["verification", mails.composeVerification(evil)],
    ["reset", mails.composeReset({ ...evil, token: "t" })],
    ["disabled webhook", mails.composeWebhookDisabled({ ...evil, id: "w" })],
    ["deadline", playtesterMails.composeReminder({ ...evil, deadlineAt: startTime })],
    ["receipt", mails.composeReceipt({ ...evil, amountCents: 123456, description: "<i>", paymentId: "p", paidAt: "today" })],
    ["approval", playtesterMails.composeApproved({ ...evil, deadlineAt: startTime })],
    ["rejection", playtesterMails.composeRejected({ ...evil, customMessage: "<img src=x>\nline two & more" })],
    ["closing", playtesterMails.composeClosed(evil)],
  ];

  it.each(letters)("%s: one line of subject, nothing of people's words as HTML", (_, { subject, text, html }) => {
    expect(subject).not.toMatch(/[\r\n]/);
    expect(text).toContain(evil.name);
    expect(html).not.toMatch(/<script|<b>|<i>|<img/);
  });

  it("keeps the owner's own words as they are in the text, and escaped in the HTML", () => {
    const { text, html } = playtesterMails.composeRejected({ ...evil, customMessage: "<img src=x>\nline two & more" });
    expect(text).toContain("<img src=x>\nline two & more");
    expect(html).toContain("&lt;img src=x&gt;<br>line two &amp; more");
  });

  it("names the amount of a receipt in dollars", () => {
    expect(letters[4]![1].subject).toBe("Receipt for $1,234.56");
  });
});
