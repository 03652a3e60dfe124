import { afterEach, expect, it } from "vitest";
import { signedPaymentCheck } from "../../server/operations/doctor.ts";
import { asking, instructionsOf, openWallet, send } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, registerOwner } from "../helpers/factories.ts";
import { createTestClock, type TestServer, type TestServerOptions } from "../helpers/server.ts";
import {
  accountOf,
  type Changes,
  clientOf,
  payingFetch,
  receiptIn,
  requiredIn,
  signFor,
  startFacilitator,
} from "../helpers/x402.ts";

const account = accountOf("1");
const payer = account.address.toLowerCase();
const paths = { "an order": "", "a top-up": "/billing/credit/x402" };
type What = keyof typeof paths;
const both = ["an order", "a top-up"] as const;

/** Clients sign by the time of this machine. */
const present = () => ({ clock: createTestClock(Date.now()) });

async function openShop(server: TestServer) {
  const wallet = await openWallet(server);
  const { owner } = wallet;
  const game = `/games/${await createGame(owner)}/playtests`;
  const pathOf = (what: What) => (what === "an order" ? game : paths[what]);
  const bodyOf = (what: What) => (what === "an order" ? {} : { amountCents: 2000 });
  return {
    ...wallet,
    post: (what: What, headers: Record<string, string> = {}) =>
      owner.post(pathOf(what), bodyOf(what), { ...asking(), ...headers }),
    pay: (what: What, client = clientOf(account, "$100"), headers = {}) =>
      payingFetch(server, owner, client)(pathOf(what), bodyOf(what), headers),
    payments: async (): Promise<{ status: string }[]> => (await owner.listPayments()).payments,
    orders: async (): Promise<{ status: string }[]> => (await owner.get(game)).body.data.playtests,
    /** What came of a 20 dollar payment: as credit, or in the order. */
    state: async () => ({
      credit: await wallet.credit(),
      orders: ((await owner.get(game)).body.data.playtests as { status: string }[]).map(({ status }) => status),
      received: await wallet.received(),
    }),
  };
}

const paidOnce = (what: What) => ({
  credit: what === "an order" ? 0 : 2000,
  orders: what === "an order" ? ["active"] : [],
  received: 2000,
});
const unpaid = (what: What) => ({ credit: 0, orders: what === "an order" ? ["pending_payment"] : [], received: 0 });

onBothDatabases("a standard x402 client", (serve) => {
  it.each(both)("pays by itself: %s", async (what) => {
    const shop = await openShop(await serve(present()));
    const reply = await shop.pay(what);
    expect(reply.status).toBe(what === "an order" ? 201 : 200);
    const receipt = receiptIn(reply);
    expect(receipt).toMatchObject({ success: true, network: "eip155:8453", payer, amount: "20000000" });
    expect(await shop.state()).toEqual(paidOnce(what));
    const { data } = (await reply.json()) as { data: { paymentId: string } };
    expect(await shop.payment(data.paymentId)).toMatchObject({ status: "completed", externalId: receipt.transaction });
  });

  it("pays nothing above a dollar unless its limit is raised", async () => {
    const shop = await openShop(await serve(present()));
    await expect(shop.pay("a top-up", clientOf(account))).rejects.toThrow("maxAmountPerPayment");
    expect(await shop.state()).toEqual(unpaid("a top-up"));
  });

  it("is asked for the exact price, without the odd fraction of a cent of a payment by hash", async () => {
    const shop = await openShop(await serve(present()));
    const asked = await shop.post("a top-up");
    const { accepts, resource, x402Version } = requiredIn(asked);
    const { maxAmountRequired, asset, receiver, extra } = instructionsOf(asked);
    expect([x402Version, resource.url]).toEqual([2, `${shop.server.baseUrl}/api/v1/billing/credit/x402`]);
    expect(accepts).toEqual([
      {
        scheme: "exact",
        network: "eip155:8453",
        amount: "20000000",
        asset,
        payTo: receiver,
        maxTimeoutSeconds: 300,
        extra: { name: "USD Coin", version: "2", x402PaymentId: extra.x402PaymentId },
      },
    ]);
    expect(BigInt(maxAmountRequired)).toBeGreaterThan(20_000_000n);
  });

  it.each([
    ["another currency", asking("base", "ETH")],
    ["a chain without such signatures", asking("solana", "USDC")],
  ])("is asked for nothing in %s", async (_, headers) => {
    const shop = await openShop(await serve(present()));
    const asked = await shop.post("a top-up", headers);
    expect([asked.status, asked.headers.get("payment-required")]).toEqual([402, null]);
  });

  it.each(both)("is asked for nothing where no facilitator is configured: %s", async (what) => {
    const server = await serve(present());
    const shop = await openShop(server);
    const signature = await signFor(await shop.post(what), account);
    server.deps.facilitator = null;
    const asked = await shop.post(what);
    expect([asked.status, asked.headers.get("payment-required")]).toEqual([402, null]);
    await expect(shop.pay(what)).rejects.toThrow("Failed to parse payment requirements");
    const refused = await shop.post(what, signature);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "PAYMENT-SIGNATURE"]);
    expect(refused.body.error.message).toContain(
      "is a signed payment, which this server cannot settle. Nothing was ordered or charged.",
    );
    expect(refused.body.error.message).toContain('X-Payment: {"txHash":"HASH","chain":"base","currency":"USDC"}');
    expect([await shop.credit(), await shop.received()]).toEqual([0, 0]);
  });

  it.each(both)("that repeats a request with its key gets the same quote: %s", async (what) => {
    const shop = await openShop(await serve(present()));
    const key = { "idempotency-key": "k" };
    const replies = [await shop.post(what, key), await shop.post(what, key), await shop.post(what, key)];
    const [first, ...rest] = replies.map((reply) => [reply.status, requiredIn(reply), instructionsOf(reply)]);
    expect(rest).toEqual([first, first]);
    expect([(await shop.payments()).length, (await shop.orders()).length]).toEqual([1, what === "an order" ? 1 : 0]);
  });

  it.each(both)("that repeats a payment gets the same answer and pays once: %s", async (what) => {
    const shop = await openShop(await serve(present()));
    const asked = await shop.post(what);
    const signature = await signFor(asked, account);
    const [first, ...others] = [
      await shop.post(what, signature),
      await shop.post(what, signature),
      await shop.post(what, signature),
    ];
    expect(first!.status).toBeLessThan(300);
    expect(others.map(({ status, body }) => [status, body.data])).toEqual([1, 2].map(() => [first!.status, first!.body.data]));
    expect(others.map(receiptIn)).toEqual([receiptIn(first!), receiptIn(first!)]);
    expect(await shop.state()).toEqual(paidOnce(what));
  });

  it("that sends one payment ten times at once pays once", async () => {
    const shop = await openShop(await serve(present()));
    const signature = await signFor(await shop.post("an order"), account);
    const replies = await Promise.all(Array.from({ length: 10 }, () => shop.post("an order", signature)));
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(replies.filter(({ status }) => ![201, 402, 409].includes(status))).toEqual([]);
    expect(await shop.state()).toEqual(paidOnce("an order"));
  });

  it("pays a pending order too", async () => {
    const server = await serve(present());
    const shop = await openShop(server);
    const { playtestRequestId: id } = instructionsOf(await shop.post("an order")).extra;
    const reply = await payingFetch(server, shop.owner, clientOf(account, "$100"))(`/playtests/${id}/pay`, { method: "x402" });
    expect([reply.status, receiptIn(reply).success]).toEqual([200, true]);
    expect(await shop.state()).toEqual(paidOnce("an order"));
  });

  const wrong: [string, string, Changes][] = [
    ["another chain", "is for eip155:1, not for eip155:8453", { asked: { network: "eip155:1" } }],
    ["too little", "transfers 19 USDC, but 20 USDC is due", { asked: { amount: "19000000" } }],
    ["too much", "transfers 20.000001 USDC, but 20 USDC is due", { asked: { amount: "20000001" } }],
    ["somebody else", "pays 0x", { asked: { payTo: `0x${"12".repeat(20)}` } }],
    ["another token", "is not signed by the key of", { asked: { extra: "version" } }],
    ["a long time", "is valid for more than 300 s", { asked: { maxTimeoutSeconds: 86_400 } }],
    ["no time", "has expired", { asked: { maxTimeoutSeconds: 1 } }],
    [
      "an amount changed afterwards",
      "is not signed by the key of",
      { asked: { amount: "19000000" }, spoil: ({ payload }) => (payload.authorization.value = "20000000") },
    ],
    [
      "another key",
      "is not signed by the key of",
      { spoil: ({ payload }) => (payload.authorization.from = accountOf("2").address) },
    ],
    ["no payment of this server", "x402PaymentId", { spoil: ({ accepted }) => (accepted.extra.x402PaymentId = "none") }],
    ["another scheme", "accepted.scheme", { spoil: ({ accepted }) => (accepted.scheme = "upto") }],
    ["a contract's signature", "payload.signature", { spoil: ({ payload }) => (payload.signature += "00") }],
  ];
  it.each(wrong)("that signs for %s is refused with the reason", async (_, reason, { asked: changes, spoil }) => {
    const shop = await openShop(await serve(present()));
    const asked = await shop.post("a top-up");
    const { extra } = requiredIn(asked).accepts[0];
    const asWrong = changes?.extra === "version" ? { extra: { ...extra, version: "1" } } : changes;
    const signature = await signFor(asked, account, { ...(asWrong && { asked: asWrong }), ...(spoil && { spoil }) });
    const refused = await shop.post("a top-up", signature);
    expect([refused.status, refused.body.error.details?.[0]?.field]).toEqual([422, "PAYMENT-SIGNATURE"]);
    expect(refused.body.error.message).toContain(reason);
    expect(refused.body.error.message).toContain("Nothing was");
    expect(await shop.state()).toEqual(unpaid("a top-up"));
    // The quote is still open.
    expect((await shop.post("a top-up", await signFor(asked, account))).status).toBe(200);
    expect(await shop.state()).toEqual(paidOnce("a top-up"));
  });

  it("that uses one signature for two payments pays the first", async () => {
    const shop = await openShop(await serve(present()));
    const [first, second] = [await shop.post("a top-up"), await shop.post("a top-up")];
    expect((await shop.post("a top-up", await signFor(first, account))).status).toBe(200);
    const used = await signFor(second, account);
    expect((await shop.post("a top-up", used)).status).toBe(200);
    const stolen = JSON.parse(Buffer.from(used["payment-signature"], "base64").toString());
    const third = await shop.post("a top-up");
    stolen.accepted = requiredIn(third).accepts[0];
    const replayed = { "payment-signature": Buffer.from(JSON.stringify(stolen)).toString("base64") };
    const refused = await shop.post("a top-up", replayed);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This signature was used for another payment. Nothing was ordered or charged.",
    ]);
    expect(await shop.credit()).toBe(4000);
  });

  it("pays nothing for another owner's instructions", async () => {
    const server = await serve(present());
    const [shop, thief] = [await openShop(server), await registerOwner(server)];
    const signature = await signFor(await shop.post("a top-up"), account);
    const refused = await thief.post("/billing/credit/x402", { amountCents: 2000 }, { ...asking(), ...signature });
    expect([refused.status, refused.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(await shop.state()).toEqual(unpaid("a top-up"));
  });

  it("that signs for an order cannot have credit instead", async () => {
    const shop = await openShop(await serve(present()));
    const signature = await signFor(await shop.post("an order"), account);
    expect((await shop.post("a top-up", signature)).status).toBe(409);
    expect(await shop.state()).toEqual(unpaid("an order"));
  });

  it("that pays instructions that have expired is charged nothing", async () => {
    const server = await serve(present());
    const shop = await openShop(server);
    const asked = await shop.post("an order");
    const signature = await signFor(asked, account, { asked: { maxTimeoutSeconds: 1000 } });
    await server.advance(15 * 60_000);
    const refused = await shop.post("an order", signature);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "The payment instructions have expired. Nothing was ordered or charged. Request new ones, then sign those.",
    ]);
    expect(await shop.state()).toEqual(unpaid("an order"));
  });

  it("that signs for what was paid by hash is charged nothing", async () => {
    const server = await serve(present());
    const shop = await openShop(server);
    const asked = await shop.post("a top-up");
    const paid = await shop.prove(await send(server, asked));
    expect(paid.status).toBe(200);
    const refused = await shop.post("a top-up", await signFor(asked, account));
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This payment was made already. Nothing was ordered or charged.",
    ]);
    expect(await shop.state()).toEqual(paidOnce("a top-up"));
  });

  it("that declared another sender is refused", async () => {
    const shop = await openShop(await serve(present()));
    const asked = await shop.post("a top-up", { "x-payment-from": accountOf("2").address });
    const refused = await shop.post("a top-up", await signFor(asked, account));
    expect([refused.status, refused.body.error.message.includes("X-Payment-From named")]).toEqual([422, true]);
  });
});

onBothDatabases("a facilitator", (serve) => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  /** A server with a facilitator that behaves as the test says at the time. */
  async function openWith(first: Parameters<typeof startFacilitator>[1] extends () => infer B ? B : never) {
    const now = { behavior: first };
    let server: TestServer | undefined;
    const facilitator = await startFacilitator(
      () => server!,
      () => now.behavior,
    );
    open.push(facilitator);
    const config: TestServerOptions["config"] = (settings) => {
      settings.crypto.facilitator = {
        url: `http://127.0.0.1:${facilitator.port}`,
        token: "secret",
        chains: ["base"],
        // What is silent for good is not waited for; others may be slow on a busy machine.
        timeoutMs: first === "stays silent" ? 500 : 60_000,
      };
    };
    server = await serve({ ...present(), config });
    return { shop: await openShop(server), server, facilitator, now };
  }

  it.each(both)("is asked to verify and to settle, with its token: %s", async (what) => {
    const { shop, facilitator } = await openWith("honest");
    expect((await shop.pay(what)).status).toBeLessThan(300);
    expect(facilitator.asked()).toEqual(["/verify", "/settle"]);
    expect(facilitator.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer secret", "Bearer secret"]);
    const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(facilitator.received[1]!.body);
    expect([x402Version, paymentPayload.accepted]).toEqual([2, paymentRequirements]);
    expect(await shop.state()).toEqual(paidOnce(what));
  });

  it("that is down: 503, and the same signature pays once it is back", async () => {
    const { shop, facilitator, now } = await openWith("down");
    const signature = await signFor(await shop.post("an order"), account);
    const refused = await shop.post("an order", signature);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(refused.body.error.message).toContain("Nothing was ordered or charged");
    expect(facilitator.asked()).not.toContain("/settle");
    now.behavior = "honest";
    expect((await shop.post("an order", signature)).status).toBe(201);
    expect(await shop.state()).toEqual(paidOnce("an order"));
  });

  it("that refuses: 402 with its reason, and the order can be paid again", async () => {
    const { shop, facilitator, now } = await openWith("refuses");
    const asked = await shop.post("an order");
    const refused = await shop.post("an order", await signFor(asked, account));
    expect([refused.status, refused.body.error.message]).toEqual([
      402,
      "The payment was refused (insufficient_funds). Nothing was ordered or charged. Sign it again, or pay another way.",
    ]);
    expect(receiptIn(refused)).toMatchObject({ success: false, errorReason: "insufficient_funds", transaction: "" });
    expect(requiredIn(refused).accepts).toEqual(requiredIn(asked).accepts);
    expect(facilitator.asked()).toEqual(["/verify"]);
    now.behavior = "honest";
    expect((await shop.post("an order", await signFor(refused, account))).status).toBe(201);
    expect(await shop.state()).toEqual(paidOnce("an order"));
  });

  it.each(["loses", "stays silent", "speaks nonsense", "invents", "names another"] as const)(
    "that %s: nothing is credited until the chain shows it, and then once",
    async (behavior) => {
      const { shop, server, facilitator, now } = await openWith(behavior);
      const signature = await signFor(await shop.post("an order"), account);
      const unsure = await shop.post("an order", signature);
      expect([unsure.status, unsure.headers.get("retry-after"), receiptIn(unsure)]).toEqual([402, "10", null]);
      expect(unsure.body.error.message).toMatch(/Do not (sign or )?pay again/);
      if (behavior !== "loses") {
        expect((await shop.orders()).map(({ status }) => status)).toEqual(["pending_payment"]);
        await facilitator.execute();
      }
      now.behavior = "down";
      await server.advance(10 * 60_000);
      expect((await shop.orders()).map(({ status }) => status)).toEqual(["active"]);
      expect(await shop.credit()).toBe(0);
      const again = await shop.post("an order", signature);
      if (behavior === "loses" || behavior === "stays silent" || behavior === "speaks nonsense") {
        expect([again.status, receiptIn(again).success]).toEqual([201, true]);
      }
      expect((await shop.payments()).map(({ status }) => status)).toEqual(["completed"]);
    },
  );

  it("that is slow: the same signature may be sent again and pays once", async () => {
    const { shop, facilitator, now } = await openWith("stays silent");
    const signature = await signFor(await shop.post("a top-up"), account);
    expect((await shop.post("a top-up", signature)).status).toBe(402);
    expect((await shop.post("a top-up", signature)).status).toBe(402);
    now.behavior = "honest";
    expect((await shop.post("a top-up", signature)).status).toBe(200);
    expect(facilitator.asked().filter((path) => path === "/settle").length).toBe(3);
    expect(await shop.state()).toEqual(paidOnce("a top-up"));
  });

  it.each(both)("that never sends it: the signature ends with its validity, and its owner is told: %s", async (what) => {
    const { shop, server, now } = await openWith("stays silent");
    const asked = await shop.post(what);
    const signature = await signFor(asked, account);
    expect((await shop.post(what, signature)).status).toBe(402);
    const state = async () => (await server.deps.store.read((q) => q.all("SELECT status, error FROM signed_payments")))[0];
    await server.advance(5 * 60_000);
    expect(await state()).toMatchObject({ status: "settling" });
    const check = (ms: number) => server.deps.store.read((q) => signedPaymentCheck(q, server.clock.now() + ms));
    expect(await check(0)).toMatchObject({ ok: true, detail: "1 signed payment being settled" });
    const late = await check(2 * 3_600_000);
    expect([late.ok, late.detail]).toEqual([
      false,
      expect.stringMatching(
        /^1 signed payment without an end for more than an hour, the oldest on base with the nonce 0x[0-9a-f]{64}$/,
      ),
    ]);
    expect(late.help).toContain("the reason at the last try of one of them: none yet. Check that the server runs");
    await server.advance(5 * 60_000);
    expect(await state()).toEqual({ status: "failed", error: "expired unused" });
    const letter = server.mails.find(({ subject }) => subject === "Your signed payment of $20.00 was not made")!;
    expect(letter.text).toContain("You were not charged.");
    const again = await shop.post(what, signature);
    expect([again.status, again.body.error.message]).toEqual([
      409,
      "This signature was refused before (expired unused). Nothing was ordered or charged. Sign the payment again.",
    ]);
    expect(await shop.state()).toEqual(unpaid(what));
    now.behavior = "honest";
    const asAgain = await shop.post(what);
    expect(asAgain.status).toBe(402);
  });

  it("that sent it without an answer: its end is the payment, and nobody is told that it was not made", async () => {
    const { shop, server, facilitator } = await openWith("stays silent");
    await shop.post("a top-up", await signFor(await shop.post("a top-up"), account));
    await server.deps.store.write((tx) => tx.run("DELETE FROM jobs WHERE kind = 'scan-deposits'"));
    await facilitator.execute();
    await server.advance(20 * 60_000);
    expect(await shop.state()).toEqual(paidOnce("a top-up"));
    expect(server.mails.filter(({ subject }) => subject.includes("was not made"))).toEqual([]);
  });

  it("whose outcome is not known: no second signature is sent for the same instructions", async () => {
    const { shop, facilitator } = await openWith("stays silent");
    const asked = await shop.post("a top-up");
    await shop.post("a top-up", await signFor(asked, account));
    const refused = await shop.post("a top-up", await signFor(asked, account));
    expect([refused.status, refused.body.error.message.includes("Do not sign again")]).toEqual([409, true]);
    expect(facilitator.asked().filter((path) => path === "/settle").length).toBe(1);
  });

  it("that says no although it paid: what is paid twice is credited", async () => {
    const { shop, server, now } = await openWith("says no after it paid");
    const asked = await shop.post("an order");
    expect((await shop.post("an order", await signFor(asked, account))).status).toBe(402);
    now.behavior = "honest";
    expect((await shop.post("an order", await signFor(asked, account))).status).toBe(201);
    await server.advance(10 * 60_000);
    expect(await shop.state()).toEqual({ credit: 2000, orders: ["active"], received: 4000 });
  });

  it("whose transaction is not final yet: 402, and the order begins when it is", async () => {
    const { shop, server, facilitator } = await openWith("stays silent");
    facilitator.answer(async (response, request) => {
      const send = (body: object) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (request.url === "/verify") return void send({ isValid: true });
      const { paymentPayload, paymentRequirements } = JSON.parse(facilitator.received.at(-1)!.body);
      const { from, value: amount, nonce } = paymentPayload.payload.authorization;
      const body = { chain: "base", currency: "USDC", to: paymentRequirements.payTo, amount, from, nonce, confirmations: 0 };
      const { txHash: transaction } = (await server.request("POST", "/sandbox/chain/transactions", { body })).body.data;
      send({ success: true, transaction, network: "eip155:8453" });
    });
    const reply = await shop.pay("an order");
    expect(reply.status).toBe(402);
    expect(((await reply.json()) as { error: { message: string } }).error.message).toContain(
      "is not final yet. Do not pay again.",
    );
    await server.advance(10 * 60_000);
    expect(await shop.state()).toEqual(paidOnce("an order"));
  });

  it("for an order that was cancelled meanwhile: the money is credit", async () => {
    const { shop, server, facilitator } = await openWith("stays silent");
    const asked = await shop.post("an order");
    await shop.post("an order", await signFor(asked, account));
    const id = instructionsOf(asked).extra.playtestRequestId;
    expect((await shop.owner.post(`/playtests/${id}/cancel`)).status).toBe(200);
    await facilitator.execute();
    await server.advance(10 * 60_000);
    expect(await shop.state()).toEqual({ credit: 2000, orders: ["cancelled"], received: 2000 });
  });
});
