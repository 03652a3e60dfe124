import { describe, expect, it } from "vitest";
import { goodCard } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";

const day = 86_400_000;
const at = "/studio/billing";
const plain = (html: string) => html.replace(/<style.*?<\/style>|<[^>]+>/gs, " ").replace(/\s+/g, " ");
const checkoutIn = (html: string) => new URL(/href="([^"]+\/checkout\/[^"]+)"/.exec(html)![1]!).pathname;

onBothDatabases("billing in Studio", (serve) => {
  async function scene(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server, "Hearth & Co");
    return { server, owner, browser: await signedIn(server, owner, "/studio") };
  }

  const payByCard = async (browser: Visitor, html: string) => {
    const path = checkoutIn(html);
    return browser.submit(path, path, goodCard);
  };

  it("credit is bought by card, its payment is shown, and its invoice is a PDF, also from the receipt", async () => {
    const { browser, owner, server } = await scene();
    const wrong = await browser.submit(at, `${at}/credit`, { amountCents: "ten" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('id="amount-fault"')]);
    expect((await browser.submit(at, `${at}/credit`, { amountCents: "10" })).status).toBe(422);
    const next = await browser.submit(at, `${at}/credit`, { amountCents: "$30.00" });
    const paid = await payByCard(browser, next.html);
    expect(paid.location).toContain(`${at}?done=credit`);
    expect((await owner.getBalance()).balanceCents).toBe(3000);
    const { pathname, search } = new URL(paid.location!);
    const page = plain((await browser.get(pathname + search)).html);
    expect(page).toMatch(/Thank you\. .*Credit \$30\.00 .*Paid \$30\.00 by card/);
    await server.advance(0);
    const { text } = server.mails.find(({ subject }) => subject === "Receipt for $30.00")!;
    const receipt = new URL(/https?:\/\/\S+\/studio\/billing\/payments\/\S+/.exec(text)![0]).pathname;
    const shown = await browser.get(receipt);
    const file = /href="([^"]+\/document)"/.exec(shown.html)![1]!;
    const pdf = await browser.get(file);
    expect([pdf.status, pdf.headers.get("content-type"), pdf.html.slice(0, 5)]).toEqual([200, "application/pdf", "%PDF-"]);
    const invoice = /href="([^"]+\/invoices\/[^"]+\/file)"/.exec((await browser.get(at)).html)![1]!;
    expect((await browser.get(invoice)).headers.get("content-type")).toBe("application/pdf");
  });

  it("older invoices are on further pages", async () => {
    const { browser, owner } = await scene();
    const buy = async () => payByCard(browser, (await browser.submit(at, `${at}/credit`, { amountCents: "30" })).html);
    while (!(await owner.get("/billing/invoices")).body.meta.hasMore) await buy();
    const { html } = await browser.get(at);
    const older = /href="([^"#]+)#invoices">Show older invoices/.exec(html)![1]!;
    const numbers = (text: string) => [...text.matchAll(/\/file">([\w-]+) /g)].map(([, number]) => number);
    const [first, second] = [numbers(html), numbers((await browser.get(older)).html)];
    expect([first.length > 1, second.length, first.includes(second[0])]).toEqual([true, 1, false]);
  });

  it("a payment and its files are for its owner only", async () => {
    const { browser, owner, server } = await scene();
    await payByCard(browser, (await browser.submit(at, `${at}/credit`, { amountCents: "30" })).html);
    const [payment] = (await owner.listPayments()).payments;
    const [invoice] = (await owner.listInvoices()).invoices;
    const stranger = await signedIn(server, await registerOwner(server), "/studio");
    for (const path of [`payments/${payment!.id}`, `payments/${payment!.id}/document`, `invoices/${invoice!.id}/file`])
      expect([path, (await stranger.get(`${at}/${path}`)).status]).toEqual([path, 404]);
  });

  it("a payment that is not completed has no document yet", async () => {
    const { browser, owner } = await scene();
    await browser.submit(at, `${at}/credit`, { amountCents: "30" });
    const [payment] = (await owner.listPayments()).payments;
    const page = await browser.get(`${at}/payments/${payment!.id}`);
    expect(page.html).toContain("A document exists once the payment is completed.");
    expect((await browser.get(`${at}/payments/${payment!.id}/document`)).status).toBe(409);
  });

  it("a plan is chosen, says that it renews until it is cancelled, ends, and renews after all", async () => {
    const { browser, owner, server } = await scene();
    expect(plain((await browser.get(at)).html)).toContain("a month, until you cancel it");
    const next = await browser.submit(at, `${at}/plans/indie_monthly`);
    expect(plain(next.html)).toContain("$79.00");
    const unpaid = plain((await browser.get(at)).html);
    expect(unpaid).toContain("No plan. A plan gives you playtest hours for each of its periods.");
    expect(unpaid).toContain(
      "The payment of Indie Monthly is not complete. If you paid just now, reload this page in a few minutes.",
    );
    expect([unpaid.includes("Your plan"), unpaid.includes("Cancel the plan"), unpaid.match(/Subscribe/g)!.length]).toEqual([
      false,
      false,
      4,
    ]);
    const subscribed = await payByCard(browser, next.html);
    expect((await browser.get(checkoutIn(next.html))).html).toContain('<a href="/studio/billing">Go to your payments</a>');
    expect(subscribed.status).toBe(303);
    expect(plain((await browser.get(at)).html)).toMatch(/It renews on [A-Z].* UTC , and then each month, until you cancel it\./);
    expect((await owner.getBalance()).playtestMinutes).toBeGreaterThan(0);
    const proration = "Your present plan ends as soon as you pay for this one, without proration";
    const page = plain((await browser.get(at)).html);
    expect(page).toContain(proration);
    expect(page).toContain("It ends with its period and is not charged again. Its hours stay.");
    expect(plain(unpaid)).not.toContain(proration);
    const change = await browser.submit(at, `${at}/plans/studio_monthly`);
    expect(change.html).toContain(`<meta http-equiv="refresh" content="0;url=${server.baseUrl}/checkout/`);
    expect((await browser.submit(at, `${at}/subscription/cancel`)).location).toBe(`${at}?done=cancelled`);
    expect(plain((await browser.get(at)).html)).toMatch(/It ends on .* and is not charged again\./);
    await browser.submit(at, `${at}/subscription/resume`);
    expect((await owner.getSubscription()).cancelAtPeriodEnd).toBe(false);
    const { id } = (await owner.getSubscription()).subscription!;
    await server.request("POST", `/sandbox/subscriptions/${id}/renewals`, { body: { outcome: "failed" } });
    await server.advance(31 * day);
    const pastDue = plain((await (await signedIn(server, owner, "/studio")).get(at)).html);
    expect(pastDue).toMatch(/Its renewal is tried again on [A-Z].* UTC ?\. The last renewal could not be charged\./);
    expect(pastDue).not.toContain("It renews on");
    expect(pastDue).toContain("It ends at once and is not charged again. Its hours stay.");
    const later = await signedIn(server, owner, "/studio");
    const anew = await later.submit(at, `${at}/plans/indie_monthly`);
    expect(checkoutIn(anew.html)).toMatch(/^\/checkout\//);
    expect(pastDue).toContain("Subscribe again with another card A new period begins as soon as you pay");
    const ended = (await later.submit(at, `${at}/subscription/cancel`)).location;
    expect([ended, plain((await later.get(ended!)).html)]).toEqual([
      `${at}?done=ended`,
      expect.stringContaining("The plan has ended. It is not charged again."),
    ]);
  });

  it("a plan that ended because it could not be renewed says so", async () => {
    const { browser, owner, server } = await scene();
    await payByCard(browser, (await browser.submit(at, `${at}/plans/indie_monthly`)).html);
    const { id } = (await owner.getSubscription()).subscription!;
    await server.request("POST", `/sandbox/subscriptions/${id}/renewals`, { body: { outcome: "failed" } });
    await server.advance(31 * day);
    for (let tries = 0; tries < 4; tries++) {
      await server.request("POST", `/sandbox/subscriptions/${id}/renewals`, { body: { outcome: "failed" } });
      await server.advance(3 * day);
    }
    const ended = plain((await (await signedIn(server, owner, "/studio")).get(at)).html);
    expect(ended).toMatch(/Indie Monthly ended on [A-Z].* UTC ?, because its renewal could not be charged\. Your hours stay\./);
  });

  it("crypto: shows where to send what, with a code to scan, and adds the credit by the hash", async () => {
    const { browser, owner, server } = await scene();
    const shown = await browser.submit(at, `${at}/crypto`, { cryptoCents: "20", pair: "base USDC" });
    expect(shown.html).toContain('aria-label="QR code of the payment for your wallet"');
    expect(shown.html).toMatch(/href="ethereum:0x[0-9a-fA-F]{40}@8453\/transfer\?address=0x[0-9a-fA-F]{40}&amp;uint256=\d+"/);
    const fields = hiddenFields(shown.html, `${at}/crypto/sent`);
    const given = JSON.parse(fields.given!);
    const early = await browser.send(`${at}/crypto/sent`, { ...fields, tx: `0x${"1".repeat(64)}` });
    expect([early.status, early.html]).toEqual([200, expect.stringContaining('role="alert"')]);
    expect(early.html).toContain(given.receiver);
    const [, token, receiver, amount] = /ethereum:(\w+)@8453\/transfer\?address=(\w+)&uint256=(\d+)/.exec(given.uri)!;
    expect([receiver, token]).toEqual([given.receiver, expect.stringMatching(/^0x/)]);
    const sent = { chain: "base", currency: "USDC", to: receiver, amount };
    const { txHash } = (await server.request("POST", "/sandbox/chain/transactions", { body: sent })).body.data;
    const done = await browser.send(`${at}/crypto/sent`, { ...hiddenFields(early.html, `${at}/crypto/sent`), tx: txHash });
    expect(done.location).toBe(`${at}?done=crypto`);
    expect((await owner.getBalance()).balanceCents).toBe(2000);
    expect((await browser.send(`${at}/crypto/sent`, { ...fields, given: "{}", tx: txHash })).status).toBe(422);
  });

  describe("crypto: a transaction that adds no credit", () => {
    type Sent = Record<string, string>;
    async function answered(change: (sent: Sent) => Sent, laterMs = 0) {
      const { browser, owner, server } = await scene();
      const shown = await browser.submit(at, `${at}/crypto`, { cryptoCents: "20", pair: "base USDC" });
      const fields = hiddenFields(shown.html, `${at}/crypto/sent`);
      const [, to, amount] = /transfer\?address=(\w+)&uint256=(\d+)/.exec(JSON.parse(fields.given!).uri)!;
      await server.advance(laterMs);
      const body = change({ chain: "base", currency: "USDC", to: to!, amount: amount! });
      const { txHash } = (await server.request("POST", "/sandbox/chain/transactions", { body })).body.data;
      const { html } = await browser.send(`${at}/crypto/sent`, { ...fields, tx: txHash });
      expect((await owner.getBalance()).balanceCents).toBe(0);
      const text = plain(html);
      return { text, asksToPay: text.includes("Send exactly this"), asksForHash: text.includes("Hash of the transaction") };
    }
    const times = (factor: number) => (sent: Sent) => ({ ...sent, amount: String(Math.round(Number(sent.amount) * factor)) });

    it.each([
      ["of too little can be sent once more", times(0.5), 0, "is missing. Nothing was credited. Pay the full amount", true],
      ["of far too much asks for no more", times(3), 0, "arrived, more than was requested", false],
      ["that came too late asks for no more", times(1), 2 * day, "arrived after the payment had expired.", false],
      [
        "that failed can be sent once more",
        (sent: Sent) => ({ ...sent, status: "reverted" }),
        0,
        "The transaction hash is a failed transaction that transferred nothing. Send a new one.",
        true,
      ],
    ])("%s", async (_, change, laterMs, said, asks) => {
      const { text, asksToPay, asksForHash } = await answered(change, laterMs);
      expect(text).toContain(said);
      expect([asksToPay, asksForHash]).toEqual([asks, asks]);
    });

    it("and has paid something else leaves the payment as it is", async () => {
      const { browser, owner, server } = await scene();
      const ask = async () => {
        const shown = await browser.submit(at, `${at}/crypto`, { cryptoCents: "20", pair: "base USDC" });
        return hiddenFields(shown.html, `${at}/crypto/sent`);
      };
      const first = await ask();
      const [, to, amount] = /transfer\?address=(\w+)&uint256=(\d+)/.exec(JSON.parse(first.given!).uri)!;
      const body = { chain: "base", currency: "USDC", to, amount };
      const { txHash } = (await server.request("POST", "/sandbox/chain/transactions", { body })).body.data;
      await browser.send(`${at}/crypto/sent`, { ...first, tx: txHash });
      expect((await owner.getBalance()).balanceCents).toBe(2000);
      const other = await registerOwner(server, "Other");
      const stranger = await signedIn(server, other, "/studio");
      const shown = await stranger.submit(at, `${at}/crypto`, { cryptoCents: "20", pair: "base USDC" });
      const { html } = await stranger.send(`${at}/crypto/sent`, { ...hiddenFields(shown.html, `${at}/crypto/sent`), tx: txHash });
      expect(plain(html)).toContain("was already used for another payment");
      expect([html.includes("Send exactly this"), html.includes("Hash of the transaction")]).toEqual([true, true]);
    });

    it("and is not final yet keeps the form for its hash, also when nothing more should be sent", async () => {
      const early = (sent: Sent) => ({ ...sent, confirmations: 0 }) as unknown as Sent;
      const [soon, late] = [await answered(early), await answered(early, 2 * day)];
      expect(soon.text).toContain("is not final yet. Do not pay again. Send its hash again in 10 s.");
      expect([soon.asksToPay, soon.asksForHash, late.asksToPay, late.asksForHash]).toEqual([true, true, false, true]);
    });
  });

  it("an amount that is too small or too large is refused in dollars", async () => {
    const { browser } = await scene();
    const answer = async (form: string, fields: Record<string, string>) =>
      /role="alert"[^>]*>(.*?)<\/div>/s
        .exec((await browser.submit(at, `${at}/${form}`, fields)).html)![1]!
        .replace(/<[^>]+>/g, "");
    expect(await answer("credit", { amountCents: "10" })).toBe("Amount: must be at least $20.00.");
    expect(await answer("credit", { amountCents: "20000" })).toBe("Amount: must be at most $10,000.00.");
    expect(await answer("crypto", { cryptoCents: "1", pair: "base USDC" })).toBe("Amount in crypto: must be at least $5.00.");
    const path = "/studio/account/keys";
    const key = { name: "ci", "scope-billing": "yes", password: "correct horse", perDay: "99999999" };
    expect((await browser.submit(path, path, key)).html).toContain(
      "The most to spend in a day</a>: must be at most $10,000,000.00.",
    );
  });

  it("shows what was spent by month, and the confirmation of an order paid with credit", async () => {
    const { browser, owner, server } = await scene();
    await giveCredit(server, owner, 10_000);
    const ann = await registerPlaytester(server, "Ann");
    await owner.post(`/slots/${await play(server, ann, await order(owner, await createGame(owner)))}/accept`);
    await server.advance(day);
    const { html } = await browser.get(at);
    expect(plain(html)).toMatch(/Spent by month .*2026-03 \$20\.00/);
    expect(plain(html)).toContain("Order confirmation");
  });

  describe("on a server", () => {
    it("without payments: offers nothing to buy", async () => {
      const { browser } = await scene({ config: ({ payments }) => Object.assign(payments, { enabled: false }) });
      const { html } = await browser.get(at);
      expect(html).toContain("This server runs without payments.");
      expect(html).not.toContain("Add credit");
    });
  });
});
