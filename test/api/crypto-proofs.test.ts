import { describe, expect, it } from "vitest";
import { asking, instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, ledgerFaults } from "../helpers/factories.ts";
import type { Reply, TestServer } from "../helpers/server.ts";
import { base58, evmWallet, solanaWallet } from "../helpers/wallets.ts";

const minute = 60_000;
const hour = 60 * minute;
const [payer, stranger] = [evmWallet(1), evmWallet(2)];

/** An owner, and what they do to prove a deposit of the sandbox chain. */
async function openPayer(server: TestServer) {
  const wallet = await openWallet(server);
  const path = (asked: Reply | string) =>
    `/billing/payments/${typeof asked === "string" ? asked : asked.body.error.payment.id}/proof`;
  const messageOf = async (asked: Reply | string, txHash: string, chain = "base") =>
    (await wallet.owner.get(`${path(asked)}?txHash=${txHash}&chain=${chain}`)).body.data.proof;
  return {
    ...wallet,
    messageOf,
    submit: (asked: Reply | string, txHash: string, signature: string, chain = "base") =>
      wallet.owner.post(path(asked), { txHash, signature, chain }),
    async proveBy(from: { sign(message: string): string }, asked: Reply | string, txHash: string, chain = "base") {
      const signature = from.sign((await messageOf(asked, txHash, chain)).message);
      return wallet.owner.post(path(asked), { txHash, signature, chain });
    },
    pay: (asked: Reply, changes: Record<string, unknown> = {}) => wallet.send(asked, { from: payer.address, ...changes }),
    declare: (amountCents: number, from: string, chain = "base", currency = "USDC") =>
      wallet.owner.post("/billing/credit/x402", { amountCents }, { ...asking(chain, currency), "x-payment-from": from }),
  };
}

onBothDatabases("a proof of who sent a deposit", (serve, it) => {
  it("names the instance, the payment and the transaction, and who can sign it", async () => {
    const owner = await openPayer(await serve());
    const asked = await owner.ask();
    const txHash = await owner.pay(asked, { by: 5_000_000 });
    const proof = await owner.messageOf(asked, txHash);
    expect(proof).toMatchObject({ scheme: "eip191", chain: "base", txHash, addresses: [payer.address] });
    for (const part of [owner.server.baseUrl, asked.body.error.payment.id, txHash, "base"]) expect(proof.message).toContain(part);
  });

  it.each([
    ["too much", { by: 5_000_000 }, 0, 2500],
    ["too little", { by: -5_000_000 }, 0, 1500],
    ["too late", {}, hour, 2000],
    ["too much and too late", { by: 5_000_000 }, 20 * hour, 2500],
  ])("credits %s, once, whether it was named before or not", async (_, changes, after, cents) => {
    for (const named of [true, false]) {
      const owner = await openPayer(await serve());
      const asked = await owner.ask(2000);
      await owner.server.advance(after);
      const txHash = await owner.pay(asked, changes);
      if (named) expect([402, 409]).toContain((await owner.prove(txHash)).status);
      const replies = [await owner.proveBy(payer, asked, txHash), await owner.proveBy(payer, asked, txHash)];
      expect(replies.map(({ status, body }) => [status, body.data?.creditedCents])).toEqual([
        [200, cents],
        [200, cents],
      ]);
      expect(replies[1]!.body.data.paymentId).toBe(replies[0]!.body.data.paymentId);
      expect([await owner.credit(), await owner.suspense(asked.body.error.payment.id)]).toEqual([cents, 0]);
      expect((await owner.prove(txHash)).body.data.creditedCents).toBe(cents);
      await owner.server.advance(3 * hour);
      expect([await owner.credit(), await owner.received()]).toEqual([cents, cents]);
      expect(await ledgerFaults(owner.server)).toEqual([]);
    }
  });

  it("credits what was recorded as nobody's, also under a payment that is newer", async () => {
    const owner = await openPayer(await serve());
    const txHash = await owner.pay(await owner.ask(2000), { by: 5_000_000 });
    await owner.server.advance(24 * hour);
    const fresh = await owner.ask(500);
    expect((await owner.proveBy(payer, fresh, txHash)).body.data.creditedCents).toBe(2500);
    expect((await owner.payment(fresh.body.error.payment.id)).status).toBe("pending");
  });

  it("needs a payment that is no newer than a transfer that is not recorded", async () => {
    const owner = await openPayer(await serve());
    const txHash = await owner.pay(await owner.ask(2000), { by: 5_000_000 });
    await owner.server.advance(10 * minute);
    const reply = await owner.proveBy(payer, await owner.ask(500), txHash);
    expect([reply.status, reply.body.error.details[0].field, await owner.credit()]).toEqual([422, "txHash", 0]);
  });

  it("takes a deposit back from an account that named it first", async () => {
    const owner = await openPayer(await serve());
    const thief = await openPayer(owner.server);
    const asked = await owner.ask(50_000);
    await owner.server.advance(76 * minute);
    const theirs = await thief.ask(49_950);
    const txHash = await owner.pay(asked, { by: -20_000 });
    expect((await thief.prove(txHash)).status).toBe(409);
    const named = await owner.prove(txHash);
    expect([named.status, named.body.error.message]).toEqual([
      409,
      expect.stringContaining(
        `run \`playtest billing credit x402 prove ${asked.body.error.payment.id} --tx ${txHash}\` to have it credited`,
      ),
    ]);
    expect((await thief.proveBy(stranger, theirs, txHash)).status).toBe(422);
    expect((await owner.proveBy(payer, asked, txHash)).status).toBe(200);
    expect([await owner.credit(), await thief.credit()]).toEqual([49_998, 0]);
    expect((await thief.prove(txHash)).status).toBe(409);
  });

  it("pays an order with what is enough for it, and leaves the rest as credit", async () => {
    const owner = await openPayer(await serve());
    const gameId = await createGame(owner.owner);
    const asked = await owner.owner.post(`/games/${gameId}/playtests`, {}, asking());
    const txHash = await owner.pay(asked, { by: 5_000_000 });
    const reply = await owner.proveBy(payer, asked, txHash);
    expect([reply.body.data.creditedCents, reply.body.data.message]).toEqual([2500, expect.stringContaining("paid your order")]);
    const [playtest] = (await owner.owner.listPlaytests({ params: { gameId } })).playtests;
    expect([playtest!.status, await owner.credit()]).toEqual(["active", 500]);
    expect(await ledgerFaults(owner.server)).toEqual([]);
  });

  it("leaves credit, and does not say that it paid, where the order was cancelled meanwhile", async () => {
    const owner = await openPayer(await serve());
    const gameId = await createGame(owner.owner);
    const asked = await owner.owner.post(`/games/${gameId}/playtests`, {}, asking());
    const txHash = await owner.pay(asked, { by: 5_000_000 });
    const [playtest] = (await owner.owner.listPlaytests({ params: { gameId } })).playtests;
    await owner.owner.cancelPlaytest({ params: { id: playtest!.id } });
    const reply = await owner.proveBy(payer, asked, txHash);
    expect([reply.body.data.creditedCents, reply.body.data.message]).toEqual([2500, "The deposit was credited to your account."]);
    expect([await owner.credit(), await ledgerFaults(owner.server)]).toEqual([2500, []]);
  });

  describe("counts crypto", () => {
    const eth = 10n ** 18n;
    it.each([
      ["fell", 150_000, 200_000],
      ["rose", 600_000, 450_000],
    ])("beyond the quote at the lowest price, when it %s", async (_, recorded, later) => {
      const owner = await openPayer(await serve());
      const asked = await owner.ask(500, "ethereum", "ETH");
      const txHash = await owner.pay(asked, { amount: String(100n * eth) });
      owner.server.deps.chains.rate = async () => recorded;
      await owner.prove(txHash, "ethereum", "ETH");
      owner.server.deps.chains.rate = async () => later;
      const within = BigInt(instructionsOf(asked).maxAmountRequired);
      const beyond = 100n * eth - within;
      const lowest = BigInt(Math.min(300_000, recorded, later));
      const { data } = (await owner.proveBy(payer, asked, txHash, "ethereum")).body;
      const worth = Number((within * 300_000n + beyond * lowest) / eth);
      expect([data.creditedCents, await owner.credit()]).toEqual([worth, worth]);
    });

    it("that came late at no locked rate", async () => {
      const owner = await openPayer(await serve());
      const asked = await owner.ask(3000, "base", "ETH");
      await owner.server.advance(hour);
      owner.server.deps.chains.rate = async () => 150_000;
      const txHash = await owner.pay(asked);
      await owner.prove(txHash, "base", "ETH");
      owner.server.deps.chains.rate = async () => 900_000;
      expect((await owner.proveBy(payer, asked, txHash)).body.data.creditedCents).toBe(1500);
    });
  });

  it("is made by signing on Solana as well", async () => {
    const owner = await openPayer(await serve());
    const wallet = solanaWallet();
    const asked = await owner.ask(2000, "solana", "SOL");
    const txHash = await owner.pay(asked, { by: 1_000_000_000, from: wallet.address });
    const proof = await owner.messageOf(asked, txHash, "solana");
    expect(proof).toMatchObject({ scheme: "ed25519", addresses: [wallet.address] });
    const signature = base58(wallet.signBytes(Buffer.from(proof.message)));
    expect((await owner.submit(asked, txHash, signature, "solana")).body.data.creditedCents).toBe(17_000);
  });

  describe("is worth nothing", () => {
    async function held(server: TestServer) {
      const owner = await openPayer(server);
      const asked = await owner.ask(2000);
      const txHash = await owner.pay(asked, { by: 5_000_000 });
      const { message } = await owner.messageOf(asked, txHash);
      return { owner, asked, txHash, message };
    }
    type Held = Awaited<ReturnType<typeof held>>;
    const signatures: [string, (held: Held) => Promise<string>][] = [
      ["by another address", async ({ message }) => stranger.sign(message)],
      ["of another payment", async ({ owner, txHash }) => payer.sign((await owner.messageOf(await owner.ask(), txHash)).message)],
      [
        "of another transaction",
        async ({ owner, asked }) => payer.sign((await owner.messageOf(asked, await owner.pay(asked, { by: 1 }))).message),
      ],
      ["of another instance", async ({ message }) => payer.sign(message.replace("http://", "https://"))],
      ["of another chain", async ({ message }) => payer.sign(message.replace("Chain: base", "Chain: ethereum"))],
      ["in another form", async ({ message }) => payer.sign(message, { highS: true })],
      ["that is none", async () => "0x00"],
    ];
    it.each(signatures)("%s", async (_, signatureOf) => {
      const one = await held(await serve());
      const reply = await one.owner.submit(one.asked, one.txHash, await signatureOf(one));
      expect([reply.status, reply.body.error.details]).toEqual([
        422,
        [{ field: "signature", message: expect.stringContaining(payer.address) }],
      ]);
      expect(await one.owner.credit()).toBe(0);
    });

    it("to another account that has seen it", async () => {
      const { owner, asked, txHash, message } = await held(await serve());
      const thief = await openPayer(owner.server);
      const signature = payer.sign(message);
      expect((await thief.submit(asked, txHash, signature)).status).toBe(404);
      expect((await thief.submit(await thief.ask(), txHash, signature)).status).toBe(422);
      expect((await thief.owner.get(`/billing/payments/${asked.body.error.payment.id}/proof?txHash=${txHash}`)).status).toBe(404);
    });

    it("after the operator decided", async () => {
      const { owner, asked, txHash, message } = await held(await serve());
      await owner.prove(txHash);
      const admin = await firstAdmin(owner.server);
      const [entry] = (await admin.listSuspense()).suspense;
      await admin.refundSuspense({ params: { id: entry!.id }, body: { note: "Sent back." } });
      const reply = await owner.submit(asked, txHash, payer.sign(message));
      expect([reply.status, reply.body.error.message, await owner.credit()]).toEqual([
        409,
        expect.stringContaining("was sent back"),
        0,
      ]);
    });

    it("where the chain does not say who sent it", async () => {
      const owner = await openPayer(await serve());
      const asked = await owner.ask(2000);
      const txHash = await owner.send(asked, { by: 5_000_000 });
      const reply = await owner.submit(asked, txHash, payer.sign("anything"));
      expect([reply.status, reply.body.error.details[0].message]).toEqual([422, expect.stringContaining("Ask the operator")]);
    });
  });

  it("is one for each of many rivals at once: one account is credited", async ({ server }) => {
    const owners = [await openPayer(server), await openPayer(server), await openPayer(server)];
    const asked = await Promise.all(owners.map((owner) => owner.ask(2000)));
    const txHash = await owners[0]!.pay(asked[0]!, { by: 5_000_000 });
    // The same wallet pays for all three, so that each can sign.
    const replies = await Promise.all(
      owners.flatMap((owner, at) => [owner.prove(txHash), owner.proveBy(payer, asked[at]!, txHash)]),
    );
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const credits = await Promise.all(owners.map((owner) => owner.credit()));
    expect(credits.sort()).toEqual([0, 0, 2500]);
    expect(await ledgerFaults(server)).toEqual([]);
  });

  it("leaves a deposit that names another account's payment to the operator, who sees the proof", async () => {
    const owner = await openPayer(await serve());
    const other = await openPayer(owner.server);
    const asked = await owner.ask(2000);
    const theirs = await other.ask(3000);
    await owner.server.advance(hour);
    const txHash = await owner.pay(asked);
    const reply = await other.proveBy(payer, theirs, txHash);
    expect([reply.status, await other.credit()]).toEqual([409, 0]);
    const admin = await firstAdmin(owner.server);
    const { suspense } = await admin.listSuspense();
    expect(suspense).toMatchObject([
      {
        ...{ reason: "late", sender: payer.address, userId: owner.owner.id },
        proof: { by: "signature", userId: other.owner.id, signature: expect.stringMatching(/^0x/) },
      },
    ]);
    const exported = async () => (await owner.owner.exportAccount()).records.cryptoDeposits;
    expect(await exported()).toMatchObject([{ proof: null, provedAt: null, resolution: null }]);
    expect((await owner.proveBy(payer, asked, txHash)).status).toBe(200);
    const resolution = `proved by a signature of ${payer.address}`;
    expect(await exported()).toMatchObject([{ proof: "signature", provedAt: expect.any(String), resolution }]);
    expect(await owner.credit()).toBe(2000);
  });

  it("stays with the deposit that it released", async () => {
    const owner = await openPayer(await serve());
    const asked = await owner.ask(2000);
    const txHash = await owner.pay(asked, { by: -5_000_000 });
    await owner.proveBy(payer, asked, txHash);
    const admin = await firstAdmin(owner.server);
    const { suspense } = await admin.listSuspense({ query: { status: "credited" } });
    expect(suspense).toMatchObject([
      { sender: payer.address, proof: { by: "signature", userId: owner.owner.id }, userId: owner.owner.id, amountCents: 1500 },
    ]);
  });
});

onBothDatabases("the declared sender of a payment", (serve) => {
  it.each([
    ["too much", { by: 5_000_000 }, 0, 2500],
    ["too little", { by: -5_000_000 }, 0, 1500],
    ["too late", {}, hour, 2000],
  ])("is enough to be credited %s, named or found", async (_, changes, after, cents) => {
    for (const named of [true, false]) {
      const owner = await openPayer(await serve());
      const asked = await owner.declare(2000, payer.address.toUpperCase().replace("0X", "0x"));
      await owner.server.advance(after);
      const txHash = await owner.pay(asked, changes);
      if (named) expect((await owner.prove(txHash)).body.data.creditedCents).toBe(cents);
      await owner.server.advance(3 * hour);
      expect([await owner.credit(), (await owner.prove(txHash)).status]).toEqual([cents, 200]);
      expect(await ledgerFaults(owner.server)).toEqual([]);
    }
  });

  const claims: [string, (owner: Payer, other: Payer) => Promise<unknown>][] = [
    ["another account declared it as well", async (_, other) => other.declare(2000, payer.address)],
    ["another account has a payment that it may be for", async (_, other) => other.ask(3000)],
    [
      "another account paid from it before",
      async (_, other) => {
        const txHash = await other.pay(await other.ask(700));
        if ((await other.prove(txHash)).status !== 200) throw new Error("was not credited");
      },
    ],
  ];
  type Payer = Awaited<ReturnType<typeof openPayer>>;
  it.each(claims)("is not enough where %s", async (_, happens) => {
    const owner = await openPayer(await serve());
    const other = await openPayer(owner.server);
    const asked = await owner.declare(2000, payer.address);
    await happens(owner, other);
    const txHash = await owner.pay(asked, { by: 5_000_000 });
    const reply = await owner.prove(txHash);
    await owner.server.advance(3 * hour);
    expect([reply.status, await owner.credit()]).toEqual([409, 0]);
    expect((await owner.proveBy(payer, asked, txHash)).status).toBe(200);
  });

  it("is not enough for a stranger's large transfer, for one from elsewhere, or for one made before", async () => {
    const owner = await openPayer(await serve());
    const asked = await owner.declare(500, payer.address);
    const large = await owner.pay(asked, { amount: "1000000000000" });
    const elsewhere = await owner.pay(asked, { amount: "7000000", from: stranger.address });
    const early = await owner.pay(asked, { amount: "6000000" });
    await owner.server.deps.store.write((tx) =>
      tx.run("UPDATE sandbox_chain SET created_at = created_at - 30000 WHERE tx_hash = ?", early),
    );
    for (const txHash of [large, elsewhere, early]) expect((await owner.prove(txHash)).status).toBe(409);
    await owner.server.advance(3 * hour);
    expect(await owner.credit()).toBe(0);
  });

  it("is not enough for an account that was deleted: the deposit waits for the operator", async () => {
    const owner = await openPayer(await serve());
    const asked = await owner.declare(2000, payer.address);
    await owner.server.advance(4 * hour);
    await owner.owner.deleteAccount({ body: { password: "correct horse" } });
    await owner.pay(asked);
    await owner.server.advance(2 * hour);
    const admin = await firstAdmin(owner.server);
    expect((await admin.get("/admin/suspense")).body.data.suspense).toMatchObject([
      { status: "suspense", reason: "late", amountCents: 2000, userId: owner.owner.id },
    ]);
  });

  it.each([
    ["no address", "0x12"],
    ["an address with a wrong checksum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"],
    ["an address of another chain", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
  ])("is refused where it is %s", async (_, from) => {
    const owner = await openPayer(await serve());
    const reply = await owner.declare(2000, from);
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "X-Payment-From"]);
  });

  it("counts for an order too", async () => {
    const owner = await openPayer(await serve());
    const gameId = await createGame(owner.owner);
    const headers = { ...asking(), "x-payment-from": payer.address };
    const asked = await owner.owner.post(`/games/${gameId}/playtests`, {}, headers);
    const txHash = await owner.pay(asked, { by: 5_000_000 });
    const named = { "x-payment": JSON.stringify({ txHash, chain: "base", currency: "USDC" }) };
    const reply = await owner.owner.post(`/games/${gameId}/playtests`, {}, named);
    expect([reply.status, reply.body.data?.paidWithCrypto, await owner.credit()]).toEqual([201, true, 500]);
  });

  it("that sent too little for an order leaves credit, and says so", async () => {
    const owner = await openPayer(await serve());
    const gameId = await createGame(owner.owner);
    const asked = await owner.owner.post(`/games/${gameId}/playtests`, {}, { ...asking(), "x-payment-from": payer.address });
    const txHash = await owner.pay(asked, { by: -5_000_000 });
    const named = { "x-payment": JSON.stringify({ txHash, chain: "base", currency: "USDC" }) };
    const reply = await owner.owner.post(`/games/${gameId}/playtests`, {}, named);
    expect([reply.status, reply.body.error.message, await owner.credit()]).toEqual([
      409,
      expect.stringContaining("$15.00 arrived and was credited to your account"),
      1500,
    ]);
  });
});
