import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import { expect, it } from "vitest";
import { createSmtp } from "../../server/mail/smtp.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import { openTill, type Till } from "../helpers/billing.ts";
import { asking, openWallet, proof, send } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame } from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";

const day = 24 * 3_600_000;

/** Reports an outcome three times at once, and once more. */
async function report(till: Till, path: string) {
  const once = () => till.server.request("POST", `${path}/complete`, { body: { outcome: "paid" } });
  await Promise.all([once(), once(), once()]);
  await once();
}

/** Each kind of payment, told of more than once, and what its receipts say in order. */
const kinds: Record<string, { pay(till: Till): Promise<unknown>; subjects: string[]; about: string }> = {
  "credit by card": {
    pay: async (till) => report(till, `/sandbox/payments/${(await till.buy(3000)).paymentId}`),
    subjects: ["Receipt for $30.00"],
    about: "For: Playtest credit",
  },
  "credit by crypto": {
    async pay(till) {
      const wallet = await openWallet(till.server, till.owner);
      const txHash = await wallet.send(await wallet.ask(3000));
      await Promise.all([wallet.prove(txHash), wallet.prove(txHash), wallet.prove(txHash)]);
      await wallet.prove(txHash);
    },
    subjects: ["Receipt for $30.00"],
    about: "For: Playtest credit",
  },
  "an order by card": {
    async pay({ owner, ...till }) {
      const reply = await owner.post(`/games/${await createGame(owner)}/playtests`, {}, { "x-payment-method": "card" });
      if (reply.status !== 201) throw new Error(reply.text);
      const [payment] = (await owner.get("/billing/payments")).body.data.payments;
      await report({ owner, ...till }, `/sandbox/payments/${payment.id}`);
    },
    subjects: ["Receipt for $20.00"],
    about: "For: 1 × playtest of 60 minutes",
  },
  "an order by crypto": {
    async pay({ owner, server }) {
      const path = `/games/${await createGame(owner)}/playtests`;
      const txHash = await send(server, await owner.post(path, {}, asking()));
      for (let count = 0; count < 3; count++) await owner.post(path, {}, proof(txHash));
    },
    subjects: ["Receipt for $20.00"],
    about: "For: 1 × playtest of 60 minutes",
  },
  "a subscription and its renewal": {
    async pay(till) {
      const reply = await till.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
      await report(till, `/sandbox/subscriptions/${reply.body.data.subscriptionId}`);
      await till.server.advance(32 * day);
    },
    subjects: ["Receipt for $79.00", "Receipt for $79.00"],
    about: "For: Indie",
  },
};

onBothDatabases("receipts", (serve) => {
  it.each(Object.entries(kinds))("%s: sent once", async (_, { pay, subjects, about }) => {
    const till = await openTill(await serve());
    await pay(till);
    await till.server.advance(day);
    const receipts = till.server.mails.filter(({ subject }) => subject.startsWith("Receipt"));
    expect(receipts.map(({ subject }) => subject)).toEqual(subjects);
    const { payments } = (await till.owner.get("/billing/payments")).body.data;
    const { events } = (await till.owner.get("/events?limit=100")).body.data;
    const { email } = (await till.owner.get("/auth/me")).body.data;
    for (const { to, text, document } of receipts) {
      expect(text).toContain("It is also attached to this email.");
      const [, number] = /^Invoice: (\S+)$/m.exec(text)!;
      expect([document!.filename, pdfText(document!.bytes)]).toEqual([`${number}.pdf`, expect.stringContaining(number!)]);
      expect([to, text]).toEqual([email, expect.stringContaining(about)]);
      const payment = payments.find(({ id }: { id: string }) => text.includes(`/studio/billing/payments/${id}`));
      const { timestamp } = events.find(
        ({ event, data }: { event: string; data: { paymentId?: string } }) =>
          event === "payment.completed" && data.paymentId === payment.id,
      );
      const at = zonedText(Date.parse(timestamp), null);
      expect(text).toContain(`We received your payment of $${(payment.amountCents / 100).toFixed(2)} on ${at}. Thank you.`);
    }
  });

  it("in a summary: says where the invoice is, and not that it is attached", async () => {
    const till = await openTill(await serve());
    await till.owner.patch("/notifications/settings", { mail: "digest", kinds: ["payment.completed"] });
    await report(till, `/sandbox/payments/${(await till.buy(3000)).paymentId}`);
    await till.server.advance(2 * day);
    const [mail, ...more] = till.server.mails.filter(({ text }) => text.includes("Receipt for $30.00"));
    expect([more, mail!.document]).toEqual([[], null]);
    expect(mail!.text).toContain("You find the invoice as a PDF file on the page of the payment.");
    expect(mail!.text).not.toContain("attached");
  });

  it.each(["declined", "cancelled"])("a payment that was %s: none is sent", async (outcome) => {
    const till = await openTill(await serve());
    await till.complete((await till.buy()).paymentId, outcome);
    await till.server.advance(day);
    expect(till.server.mails.filter(({ subject }) => subject.startsWith("Receipt"))).toEqual([]);
  });

  it("mail server: receives them", async () => {
    const letters: string[] = [];
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      async onData(stream, _, done) {
        let letter = "";
        for await (const chunk of stream) letter += chunk;
        letters.push(letter);
        done();
      },
    }).listen(0, "127.0.0.1");
    await once(smtp, "listening");
    const till = await openTill(await serve());
    const mailer = createSmtp(`smtp://127.0.0.1:${(smtp.address() as { port: number }).port}`);
    Object.assign(till.server.deps, { mailer });
    await report(till, `/sandbox/payments/${(await till.buy(3000)).paymentId}`);
    await till.server.advance(day);
    await mailer.close();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    const receipts = letters.filter((letter) => /^Subject: Receipt for \$30\.00\r$/m.test(letter));
    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toMatch(/^Content-Type: application\/pdf; name=(\S+\.pdf)\r$/m);
    const [, encoded] = /^Content-Type: application\/pdf.*?\r\n\r\n([\w+/=\r\n]+)/ms.exec(receipts[0]!)!;
    expect(Buffer.from(encoded!, "base64").subarray(0, 5).toString()).toBe("%PDF-");
  });
});
