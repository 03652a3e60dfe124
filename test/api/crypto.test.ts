import { describe, expect } from "vitest";
import { offerOf, openQuote } from "../../server/billing/crypto/quotes.ts";
import { instructionsOf, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { ledgerFaults, registerOwner } from "../helpers/factories.ts";
import { heldReads } from "../helpers/held-reads.ts";

const minute = 60_000;
const hour = 60 * minute;

onBothDatabases("crypto top-up", (serve, it) => {
  describe("instructions", () => {
    const rows = [
      { chain: undefined, currency: undefined, network: "eip155:8453", asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
      { chain: "ethereum", currency: "USDC", network: "eip155:1", asset: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" },
      { chain: "ethereum", currency: "ETH", network: "eip155:1", asset: "ETH" },
      {
        chain: "solana",
        currency: "SOL",
        network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        asset: "SOL",
      },
    ];
    it.each(rows)("on $network for $currency", async ({ chain, currency, network, asset }) => {
      const wallet = await openWallet(await serve());
      const reply = await wallet.ask(2000, chain, currency);
      const { error } = reply.body;
      expect([reply.status, error.code]).toEqual([402, "PAYMENT_REQUIRED"]);
      expect(error.payment).toMatchObject({ chain: chain ?? "base", currency: currency ?? "USDC", network });
      expect(error.payment.expiresAt).toBe(new Date(wallet.server.clock.now() + 15 * minute).toISOString());
      const instructions = instructionsOf(reply);
      expect(instructions).toMatchObject({ scheme: "exact", network, asset, receiver: error.payment.receiver });
      expect(instructions.extra).toEqual({ x402PaymentId: error.payment.id });
      expect((await wallet.payment(error.payment.id)).status).toBe("pending");
    });

    it.each([
      ["base", "SOL", "X-Payment-Currency"],
      ["solana", "ETH", "X-Payment-Currency"],
      ["dogechain", "USDC", "X-Payment-Chain"],
      ["base", "DOGE", "X-Payment-Currency"],
    ])("refuse %s with %s", async (chain, currency, field) => {
      const wallet = await openWallet(await serve());
      const reply = await wallet.ask(2000, chain, currency);
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
    });

    it.each([
      [499, 422],
      [500, 402],
      [1_000_000, 402],
      [1_000_001, 422],
    ])("for %i cents get %i", async (cents, status) => {
      const wallet = await openWallet(await serve());
      expect((await wallet.ask(cents)).status).toBe(status);
    });

    it("have amounts that no two open quotes share, each worth less than a cent more", async () => {
      const wallet = await openWallet(await serve());
      const amounts: bigint[] = [];
      for (let count = 0; count < 40; count++) amounts.push(BigInt(instructionsOf(await wallet.ask()).maxAmountRequired));
      expect(new Set(amounts).size).toBe(40);
      expect(amounts.every((amount) => amount > 20_000_000n && amount < 20_010_000n)).toBe(true);
    });

    it("have another amount when the one drawn is taken", async () => {
      const { server, owner } = await openWallet(await serve());
      const draws = [1, 1, 2];
      const { deps } = server;
      const offer = await offerOf(deps, { chain: "base", currency: "USDC" });
      deps.randomBytes = (count) => Buffer.alloc(count).fill(draws.shift() ?? 3, count - 1);
      const bill = { ownerId: owner.id, cents: 2000, description: "Playtest credit" };
      const open = () => deps.store.write((tx) => openQuote(tx, offer, bill));
      expect([(await open()).amount_atomic, (await open()).amount_atomic]).toEqual(["20000002", "20000003"]);
    });

    it("are the same bytes under one idempotency key, and new ones when the quote has expired", async () => {
      const wallet = await openWallet(await serve());
      const again = () =>
        wallet.owner.post("/billing/credit/x402", { amountCents: 2000 }, { "x-payment-method": "x402", "idempotency-key": "k" });
      const first = await again();
      const second = await again();
      expect([second.text, second.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
      expect(second.headers.get("x-payment")).toBe(first.headers.get("x-payment"));
      await wallet.server.advance(15 * minute);
      expect((await again()).body.error.payment.id).not.toBe(first.body.error.payment.id);
    });
  });

  it("final transfer: credited once, also when it is submitted again or many times at once", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    const txHash = await wallet.send(asked);
    const replies = await Promise.all(Array.from({ length: 8 }, () => wallet.prove(txHash)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const { id } = asked.body.error.payment;
    for (const { body } of replies) expect(body.data).toMatchObject({ paymentId: id, creditedCents: 2000 });
    expect(await wallet.credit()).toBe(2000);
    expect(await wallet.payment(id)).toMatchObject({
      status: "completed",
      provider: "x402",
      externalId: txHash,
      amountCents: 2000,
    });
    await wallet.server.advance(3 * hour);
    expect((await wallet.prove(txHash)).body.data).toEqual(replies[0]!.body.data);
    expect([await wallet.credit(), await wallet.received()]).toEqual([2000, 2000]);
    expect((await wallet.owner.get(`/billing/payments/${id}/invoice`)).status).toBe(200);
    expect(await ledgerFaults(wallet.server)).toEqual([]);
  });

  it("submitted again while it is credited: the same reply, whichever is read first", async () => {
    const reads = heldReads();
    const wallet = await openWallet(await serve({ through: reads.through }));
    const txHash = await wallet.send(await wallet.ask(2000));
    const held = reads.hold("FROM crypto_");
    const late = wallet.prove(txHash);
    await held;
    const reply = await wallet.prove(txHash);
    reads.release();
    expect([reply.status, (await late).status]).toEqual([200, 200]);
    expect((await late).body.data).toEqual(reply.body.data);
    expect(await wallet.credit()).toBe(2000);
  });

  it.each(["ETH", "SOL"])("%s: credited at the rate of the quote", async (currency) => {
    const wallet = await openWallet(await serve());
    const chain = currency === "SOL" ? "solana" : "ethereum";
    const asked = await wallet.ask(12_345, chain, currency);
    const reply = await wallet.prove(await wallet.send(asked), chain, currency);
    expect([reply.status, reply.body.data.creditedCents]).toEqual([200, 12_345]);
  });

  it("another owner: gets nothing for a transaction that was credited, even if it overpaid and so matches no quote", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(), { by: 100_000 });
    expect((await wallet.prove(txHash)).status).toBe(200);
    const other = await openWallet(wallet.server);
    await other.ask();
    expect((await other.prove(txHash)).status).toBe(409);
    expect([await wallet.credit(), await other.credit()]).toEqual([2010, 0]);
  });

  it("another owner: gets nothing for the same transaction", async () => {
    const wallet = await openWallet(await serve());
    const other = await openWallet(wallet.server);
    const asked = await wallet.ask();
    await other.ask();
    const txHash = await wallet.send(asked);
    expect((await other.prove(txHash)).status).toBe(409);
    expect((await wallet.prove(txHash)).status).toBe(200);
    expect((await other.prove(txHash)).status).toBe(409);
    expect([await wallet.credit(), await other.credit()]).toEqual([2000, 0]);
  });

  it("one transaction: pays one quote, another stays open", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask());
    const second = await wallet.ask();
    await wallet.prove(txHash);
    await wallet.prove(txHash);
    expect((await wallet.payment(second.body.error.payment.id)).status).toBe("pending");
    expect(await wallet.credit()).toBe(2000);
  });

  describe("refuses", () => {
    const rows = [
      {
        name: "a wrong receiver",
        changes: { to: "0x0000000000000000000000000000000000000001" },
        says: "it transfers no USDC to the receiver in the payment instructions",
      },
      { name: "a failed transaction", changes: { status: "reverted" }, says: "is a failed transaction" },
      { name: "another currency", changes: { currency: "ETH" }, says: "it transfers ETH, not USDC" },
      { name: "another chain", changes: { chain: "ethereum" }, says: "on another chain" },
    ];
    it.each(rows)("$name", async ({ changes, says }) => {
      const wallet = await openWallet(await serve());
      const asked = await wallet.ask();
      const reply = await wallet.prove(await wallet.send(asked, changes));
      expect([reply.status, reply.body.error.details]).toEqual([
        422,
        [{ field: "txHash", message: expect.stringContaining(says) }],
      ]);
      expect([await wallet.credit(), await wallet.received()]).toEqual([0, 0]);
      expect((await wallet.prove(await wallet.send(asked))).status).toBe(200);
    });

    it("a chain or currency that is not the quote's", async () => {
      const wallet = await openWallet(await serve());
      const asked = await wallet.ask();
      const reply = await wallet.prove(await wallet.send(asked, { chain: "ethereum" }), "ethereum");
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "X-Payment"]);
    });

    it("a transaction without a quote", async () => {
      const wallet = await openWallet(await serve());
      expect((await wallet.prove(`0x${"ab".repeat(32)}`)).status).toBe(409);
    });

    const headers = [
      ["not JSON", "{"],
      ["no hash", '{"chain":"base","currency":"USDC"}'],
      ["a field too many", '{"txHash":"0x1","chain":"base","currency":"USDC","amount":5}'],
      ["neither JSON nor base64", "hello world"],
      ["base64 of something else", Buffer.from('{"txHash":"0x1"}').toString("base64")],
      [
        "a signed authorization",
        Buffer.from('{"x402Version":1,"scheme":"exact","network":"base","payload":{"signature":"0x"}}').toString("base64"),
      ],
      ["more than 8 kB", `{"txHash":"${"a".repeat(8200)}","chain":"base","currency":"USDC"}`],
    ];
    it.each(headers)("an X-Payment that is %s", async (_, header) => {
      const wallet = await openWallet(await serve());
      await wallet.ask();
      const reply = await wallet.owner.post("/billing/credit/x402", undefined, { "x-payment": header! });
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "X-Payment"]);
    });
  });

  it("X-Payment: accepts the standard base64 form", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask());
    const standard = { x402Version: 1, scheme: "exact", network: "eip155:8453", payload: { txHash } };
    const header = Buffer.from(JSON.stringify(standard)).toString("base64");
    expect((await wallet.owner.post("/billing/credit/x402", undefined, { "x-payment": header })).status).toBe(200);
  });

  it("overpayment of up to 1 %: credited in full", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    const txHash = await wallet.send(asked, { by: 150_000 });
    const reply = await wallet.prove(txHash);
    expect([reply.status, reply.body.data.creditedCents]).toEqual([200, 2015]);
    expect((await wallet.prove(txHash)).body.data).toEqual(reply.body.data);
    expect([await wallet.credit(), (await wallet.payment(asked.body.error.payment.id)).amountCents]).toEqual([2015, 2015]);
  });

  it("underpayment: goes to suspense and the reply says what is missing; the full amount still pays", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    const { id, cryptoAmount } = asked.body.error.payment;
    const short = await wallet.send(asked, { by: -1_500_000 });
    const replies = [await wallet.prove(short), await wallet.prove(short)];
    for (const reply of replies) {
      expect(reply.status).toBe(402);
      expect(reply.body.error.message).toContain(`of ${cryptoAmount} USDC: 1.5 USDC is missing`);
    }
    expect([await wallet.credit(), await wallet.suspense(id), await wallet.received()]).toEqual([0, 1850, 1850]);
    expect((await wallet.prove(await wallet.send(asked))).status).toBe(200);
    expect([await wallet.credit(), await wallet.suspense(id)]).toEqual([2000, 1850]);
    expect(await ledgerFaults(wallet.server)).toEqual([]);
  });

  it.each([
    ["too much", 1_500_000],
    ["a little too much", 150_000],
    ["too little", -1_500_000],
  ])("%s: credited to nobody while another owner may have sent it", async (_, by) => {
    const wallet = await openWallet(await serve());
    const other = await openWallet(wallet.server);
    const asked = await wallet.ask(2000);
    await other.ask(2000);
    const txHash = await wallet.send(asked, { by });
    expect([
      (await wallet.prove(txHash)).status,
      (await other.prove(txHash)).status,
      (await wallet.prove(txHash)).status,
    ]).toEqual([409, 409, 409]);
    const kept = 2000 + by / 10_000;
    expect([await wallet.credit(), await other.credit(), await wallet.suspense(asked.body.error.payment.id)]).toEqual([
      0,
      0,
      kept,
    ]);
  });

  it("second payment of a paid quote: goes to suspense", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask();
    await wallet.prove(await wallet.send(asked));
    await wallet.ask(3000);
    expect((await wallet.prove(await wallet.send(asked))).status).toBe(409);
    expect([await wallet.credit(), await wallet.suspense(asked.body.error.payment.id)]).toEqual([2000, 2000]);
  });

  it.each([
    ["as the quote ends", 15 * minute + 1],
    ["after its amount was released", 3 * hour],
  ])("late deposit: goes to suspense (%s)", async (_, after) => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask();
    await wallet.server.advance(after);
    const txHash = await wallet.send(asked);
    expect([(await wallet.prove(txHash)).status, (await wallet.prove(txHash)).status]).toEqual([409, 409]);
    const { id } = asked.body.error.payment;
    expect([await wallet.credit(), await wallet.suspense(id), (await wallet.payment(id)).status]).toEqual([0, 2000, "cancelled"]);
  });

  it("deposit in time: counts however late it is submitted", async () => {
    // Nobody looks for it before it is named.
    const wallet = await openWallet(await serve({ config: ({ crypto }) => Object.assign(crypto, { scanMs: 24 * hour }) }));
    const asked = await wallet.ask();
    const { id } = asked.body.error.payment;
    const txHash = await wallet.send(asked);
    await wallet.server.advance(2 * hour);
    expect((await wallet.payment(id)).status).toBe("cancelled");
    expect((await wallet.prove(txHash)).status).toBe(200);
    expect([(await wallet.payment(id)).status, await wallet.credit()]).toEqual(["completed", 2000]);
  });

  it("finality: 402 with Retry-After until the transaction is final, then 200", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(), { confirmations: 11 });
    const early = await wallet.prove(txHash);
    expect([early.status, early.headers.get("retry-after"), early.body.error.payment]).toEqual([402, "10", undefined]);
    expect(await wallet.credit()).toBe(0);
    wallet.server.clock.set(wallet.server.clock.now() + 12_000);
    expect((await wallet.prove(txHash)).status).toBe(200);
  });

  it("background: credits a waiting transaction without another request", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask();
    const txHash = await wallet.send(asked, { confirmations: 0 });
    await wallet.prove(txHash);
    await wallet.server.advance(2 * minute);
    expect(await wallet.credit()).toBe(0);
    await wallet.server.advance(3 * minute);
    expect([await wallet.credit(), (await wallet.payment(asked.body.error.payment.id)).status]).toEqual([2000, "completed"]);
    expect((await wallet.prove(txHash)).status).toBe(200);
    expect(await wallet.credit()).toBe(2000);
  });

  it("dropped transaction: one that is gone before it is final is not credited", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(), { confirmations: 0 });
    expect((await wallet.prove(txHash)).status).toBe(402);
    await wallet.server.deps.store.write((tx) => tx.run("DELETE FROM sandbox_chain WHERE tx_hash = ?", txHash));
    await wallet.server.advance(3 * hour);
    expect(await wallet.credit()).toBe(0);
    const left = await wallet.server.deps.store.read((q) => q.all("SELECT tx_hash FROM crypto_proofs"));
    expect(left).toEqual([]);
  });

  it("unknown transaction: 402 with Retry-After", async () => {
    const wallet = await openWallet(await serve());
    await wallet.ask();
    const reply = await wallet.prove(`0x${"12".repeat(32)}`);
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([402, "10"]);
  });

  it("receivable: a deposit first settles what a chargeback left owing", async () => {
    const wallet = await openWallet(await serve());
    const { owner, server } = wallet;
    const { paymentId } = await owner.buyCredit({ body: { amountCents: 5000 } });
    const card = (outcome: string) => server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome } });
    await card("paid");
    const game = (await owner.createGame({ body: { name: "G", buildUrl: "https://example.com/b.zip" } })).game.id;
    await owner.createPlaytest({ params: { gameId: game }, body: {} });
    await card("disputed");
    expect((await wallet.prove(await wallet.send(await wallet.ask(5000)))).body.data.creditedCents).toBe(5000);
    expect(await wallet.credit()).toBe(3000);
    expect(await ledgerFaults(server)).toEqual([]);
  });

  it("event: payment.completed once", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask());
    await wallet.prove(txHash);
    await wallet.prove(txHash);
    const { events } = (await wallet.owner.get("/events")).body.data;
    expect(events.filter(({ event }: { event: string }) => event === "payment.completed")).toHaveLength(1);
  });

  it("no chain configured: refused", async () => {
    const server = await serve({ config: (config) => Object.assign(config, { sandbox: false }) });
    const owner = await registerOwner(server);
    expect((await owner.post("/billing/credit/x402", { amountCents: 2000 }, { "x-payment-method": "x402" })).status).toBe(503);
    expect((await owner.post("/billing/credit/x402", undefined, proof("0x1"))).status).toBe(503);
    expect((await server.request("GET", "/info/server")).body.data.features.crypto).toEqual([]);
    expect((await server.request("POST", "/sandbox/chain/transactions", { body: {} })).status).toBe(404);
  });

  it("server info: lists the chains and currencies", async ({ server }) => {
    const { crypto } = (await server.request("GET", "/info/server")).body.data.features;
    expect(
      crypto.map(({ chain, currency }: { chain: string; currency: string }) => `${currency} on ${chain}`),
    ).toMatchInlineSnapshot(`
      [
        "USDC on base",
        "USDC on ethereum",
        "USDC on solana",
        "ETH on base",
        "ETH on ethereum",
        "SOL on solana",
      ]
    `);
  });
});
