import { afterEach, describe, expect, it } from "vitest";
import type { EvmNetwork } from "../../server/config/schema.ts";
import { asking, instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { callData, fileEvmNode, freshReceiver, selectors } from "../helpers/evm.ts";
import { patience, startRpc, type Trouble } from "../helpers/rpc-proxy.ts";
import type { Reply } from "../helpers/server.ts";

const minute = 60_000;

const { node, token, watching } = await fileEvmNode();
/** One for each server: each watches what comes to its own. */
let receiver: string;
const proxies: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

onBothDatabases("deposits on a real EVM node", (serve) => {
  /** An owner whose server watches the node; its clock begins at the newest block. */
  async function open(changes: Partial<EvmNetwork> = {}, timeoutMs = patience()) {
    receiver = freshReceiver();
    const server = await serve(await watching({ receiver, ...changes }, { timeoutMs }));
    return openWallet(server);
  }

  const amountOf = (asked: Reply) => BigInt(instructionsOf(asked).maxAmountRequired);
  const payToken = (asked: Reply, { to = receiver, contract = token, by = 0n } = {}) =>
    node.send({ to: contract, data: callData(selectors.transfer, to, amountOf(asked) + by) });

  it("pairs: the server offers the configured ones", async () => {
    const wallet = await open();
    const { crypto } = (await wallet.server.request("GET", "/info/server")).body.data.features;
    expect(crypto).toEqual([
      { chain: "base", currency: "USDC" },
      { chain: "base", currency: "ETH" },
    ]);
    expect((await wallet.ask(2000, "ethereum")).status).toBe(503);
    expect(instructionsOf(await wallet.ask())).toMatchObject({ asset: token, receiver });
  });

  it("token transfer: credited once", async () => {
    const wallet = await open();
    const txHash = await payToken(await wallet.ask(2000));
    const replies = [await wallet.prove(txHash), await wallet.prove(txHash.toUpperCase().replace("0X", "0x"))];
    expect(replies.map(({ status, body }) => [status, body.data?.creditedCents])).toEqual([
      [200, 2000],
      [200, 2000],
    ]);
    expect(await wallet.credit()).toBe(2000);
  });

  it("coins: credited at the locked rate", async () => {
    const wallet = await open();
    const asked = await wallet.ask(2000, "base", "ETH");
    const txHash = await node.send({ to: receiver, value: amountOf(asked) });
    expect((await wallet.prove(txHash, "base", "ETH")).body.data.creditedCents).toBe(2000);
  });

  it("two transfers of one transaction: credited separately", async () => {
    const wallet = await open();
    const [first, second] = [await wallet.ask(2000), await wallet.ask(3000)];
    const signature = await node.rpc("web3_sha3", `0x${Buffer.from("transferTwice(address,uint256,uint256)").toString("hex")}`);
    const data = callData(signature.slice(2, 10), receiver, amountOf(first), amountOf(second));
    const txHash = await node.send({ to: token, data });
    await wallet.prove(txHash);
    await wallet.prove(txHash);
    await wallet.prove(txHash);
    expect([await wallet.credit(), await wallet.received()]).toEqual([5000, 5000]);
  });

  it("wrong amount: credited to who signs with the address that sent it, by a real wallet", async () => {
    const wallet = await open();
    const [payer, other] = node.accounts as [string, string];
    for (const [currency, cents] of [
      ["USDC", 2500],
      ["ETH", 17_000],
    ] as const) {
      const asked = await wallet.ask(2000, "base", currency);
      const txHash =
        currency === "USDC"
          ? await payToken(asked, { by: 5_000_000n })
          : await node.send({ to: receiver, value: amountOf(asked) + 5n * 10n ** 16n });
      expect((await wallet.prove(txHash, "base", currency)).status).toBe(409);
      const path = `/billing/payments/${asked.body.error.payment.id}/proof`;
      const { proof } = (await wallet.owner.get(`${path}?txHash=${txHash}`)).body.data;
      expect(proof.addresses).toEqual([payer.toLowerCase()]);
      const signed = (by: string) => node.rpc("personal_sign", `0x${Buffer.from(proof.message).toString("hex")}`, by);
      expect((await wallet.owner.post(path, { txHash, signature: await signed(other) })).status).toBe(422);
      expect((await wallet.owner.post(path, { txHash, signature: await signed(payer) })).body.data.creditedCents).toBe(cents);
    }
    expect(await wallet.credit()).toBe(19_500);
  });

  it("relayed transfer: its sender is whose tokens moved, not who sent the transaction", async () => {
    const wallet = await open();
    const asked = await wallet.ask(2000);
    const holder = node.accounts[3]!;
    await node.send({ to: token, data: callData(selectors.transfer, holder, 30_000_000n) });
    const words = [holder, receiver, 25_000_000n].map((word) => BigInt(word).toString(16).padStart(64, "0"));
    const txHash = await node.send({ to: token, data: `0x23b872dd${words.join("")}` });
    const path = `/billing/payments/${asked.body.error.payment.id}/proof`;
    const { proof } = (await wallet.owner.get(`${path}?txHash=${txHash}`)).body.data;
    expect(proof.addresses).toEqual([holder.toLowerCase()]);
  });

  describe("does not credit", () => {
    const wrong: [name: string, says: RegExp, send: (asked: Reply) => Promise<string>][] = [
      [
        "another token that says the same",
        /it transfers no USDC to the receiver/,
        async (asked) => payToken(asked, { contract: await node.deploy("Token") }),
      ],
      [
        "a transfer to somebody else",
        /it transfers no USDC to the receiver/,
        (asked) => payToken(asked, { to: node.accounts[5]! }),
      ],
      [
        "an allowance instead of a transfer",
        /it transfers no USDC to the receiver/,
        (asked) => node.send({ to: token, data: callData(selectors.approve, receiver, amountOf(asked)) }),
      ],
      [
        "a transaction that failed",
        /is a failed transaction/,
        (asked) =>
          node.send({ to: token, data: callData(selectors.transfer, receiver, amountOf(asked) + 10n ** 30n), gas: "0x30d40" }),
      ],
      [
        "coins instead of the token",
        /it transfers ETH, not USDC/,
        (asked) => node.send({ to: receiver, value: amountOf(asked) }),
      ],
    ];
    it.each(wrong)("%s", async (_, says, send) => {
      const wallet = await open();
      const asked = await wallet.ask(2000);
      const reply = await wallet.prove(await send(asked));
      expect([reply.status, reply.body.error.details]).toEqual([
        422,
        [{ field: "txHash", message: expect.stringMatching(says) }],
      ]);
      expect([await wallet.credit(), await wallet.received()]).toEqual([0, 0]);
    });

    it("an NFT transfer, whose event has a fourth topic", async () => {
      const usdc = await node.deploy("Collectible");
      const wallet = await open({ usdc });
      const txHash = await payToken(await wallet.ask(2000), { contract: usdc });
      expect([(await wallet.prove(txHash)).status, await wallet.credit()]).toEqual([422, 0]);
    });

    it("coins that a contract forwarded", async () => {
      const wallet = await open();
      const asked = await wallet.ask(2000, "base", "ETH");
      const contract = await node.deploy("Wallet");
      const txHash = await node.send({ to: contract, value: amountOf(asked), data: callData(selectors.transfer, receiver, 0n) });
      expect((await wallet.prove(txHash, "base", "ETH")).status).toBe(422);
    });

    it.each(["0x12", "nonsense", `0x${"g".repeat(64)}`])("an invalid hash: %s", async (txHash) => {
      const wallet = await open();
      await wallet.ask();
      expect((await wallet.prove(txHash)).body.error.details[0].field).toBe("txHash");
    });
  });

  it("wrong amount: less goes to suspense, a little more is credited in full", async () => {
    const wallet = await open();
    const asked = await wallet.ask(2000);
    expect((await wallet.prove(await payToken(asked, { by: -1_000_000n }))).status).toBe(402);
    expect((await wallet.prove(await payToken(asked, { by: 100_000n }))).body.data.creditedCents).toBe(2010);
    expect([await wallet.credit(), await wallet.suspense(asked.body.error.payment.id)]).toEqual([2010, 1900]);
  });

  it("confirmations: awaited, then credited in the background", async () => {
    const wallet = await open({ confirmations: 3 });
    const txHash = await payToken(await wallet.ask());
    expect((await wallet.prove(txHash)).status).toBe(402);
    await node.mine(1);
    expect((await wallet.prove(txHash)).status).toBe(402);
    await node.mine(1);
    await wallet.server.advance(minute);
    expect(await wallet.credit()).toBe(2000);
    expect((await wallet.prove(txHash)).status).toBe(200);
  });

  it("reorganization: a transaction removed before it is final is not credited", async () => {
    const wallet = await open({ confirmations: 3 });
    const asked = await wallet.ask();
    const before = await node.rpc("evm_snapshot");
    const txHash = await payToken(asked);
    const early = await wallet.prove(txHash);
    await node.rpc("evm_revert", before);
    await node.mine(10);
    const later = await wallet.prove(txHash);
    expect([early.status, later.status, later.body.error.message.includes("is not visible")]).toEqual([402, 402, true]);
    await wallet.server.advance(24 * 60 * minute);
    expect([await wallet.credit(), await wallet.received()]).toEqual([0, 0]);
  });

  describe("reorganization: a transaction mined again after it was credited, with another index", () => {
    const twice = async (...cents: bigint[]) => {
      const signature = await node.rpc("web3_sha3", `0x${Buffer.from("transferTwice(address,uint256,uint256)").toString("hex")}`);
      return node.send({ to: token, data: callData(signature.slice(2, 10), receiver, ...cents) });
    };
    const declared = (wallet: Awaited<ReturnType<typeof open>>, amountCents: number) =>
      wallet.owner.post("/billing/credit/x402", { amountCents }, { ...asking(), "x-payment-from": node.accounts[0]! });
    /** The status of each deposit, and what was credited. */
    const booked = async ({ server, credit }: Awaited<ReturnType<typeof open>>) => {
      const rows = await server.deps.store.read((q) => q.all<{ status: string }>("SELECT status FROM crypto_deposits"));
      return [rows.map(({ status }) => status), await credit()];
    };
    const moves: [before: number, after: number][] = [
      [0, 1],
      [1, 0],
      [2, 1],
    ];

    it.each(moves)("one transfer is credited once: index %d, then %d", async (before, after) => {
      const wallet = await open({ confirmations: 1 });
      const asked = await declared(wallet, 2000);
      const start = await node.rpc("evm_snapshot");
      const txHash = await payToken(asked);
      const again = await node.remine(start, txHash, before);
      const first = await wallet.prove(txHash);
      await node.remine(again, txHash, after);
      await wallet.server.advance(24 * 60 * minute);
      const second = await wallet.prove(txHash);
      expect([first.status, second.status, second.body.data]).toEqual([200, 200, first.body.data]);
      expect(await booked(wallet)).toEqual([["credited"], 2000]);
      expect((await wallet.owner.get("/billing/payments")).body.data.payments).toHaveLength(1);
    });

    it.each(moves)("two equal transfers are credited once each: index %d, then %d", async (before, after) => {
      const wallet = await open({ confirmations: 1 });
      const amount = amountOf(await declared(wallet, 2000));
      const start = await node.rpc("evm_snapshot");
      const txHash = await twice(amount, amount);
      const again = await node.remine(start, txHash, before);
      await wallet.prove(txHash);
      expect(await booked(wallet)).toEqual([["credited"], 2000]);
      const last = await node.remine(again, txHash, after);
      await wallet.server.advance(24 * 60 * minute);
      expect(await booked(wallet)).toEqual([["credited", "credited"], 4000]);
      await node.remine(last, txHash, before);
      await wallet.server.advance(24 * 60 * minute);
      expect(await booked(wallet)).toEqual([["credited", "credited"], 4000]);
    });

    it.each(moves)("what was not credited before is credited: index %d, then %d", async (before, after) => {
      const wallet = await open({ confirmations: 1 });
      const [small, large] = [await wallet.ask(2000), await wallet.ask(3000)];
      const start = await node.rpc("evm_snapshot");
      const txHash = await twice(amountOf(small), amountOf(large));
      const again = await node.remine(start, txHash, before);
      await wallet.prove(txHash);
      await node.remine(again, txHash, after);
      await wallet.server.advance(24 * 60 * minute);
      expect(await booked(wallet)).toEqual([["credited", "credited"], 5000]);
    });

    it("a proof under another payment credits nothing more", async () => {
      const wallet = await open({ confirmations: 1 });
      const asked = await wallet.ask(2000);
      const start = await node.rpc("evm_snapshot");
      const txHash = await payToken(asked);
      await wallet.prove(txHash);
      await node.remine(start, txHash, 1);
      const path = `/billing/payments/${(await wallet.ask(2100)).body.error.payment.id}/proof`;
      const { proof } = (await wallet.owner.get(`${path}?txHash=${txHash}`)).body.data;
      const message = `0x${Buffer.from(proof.message).toString("hex")}`;
      const signature = await node.rpc("personal_sign", message, node.accounts[0]);
      expect((await wallet.owner.post(path, { txHash, signature })).body.data.creditedCents).toBe(2000);
      expect(await booked(wallet)).toEqual([["credited"], 2000]);
    });
  });

  it("forged block: a transaction in it is not credited", async () => {
    const proxy = await startRpc(async (method, params) => {
      const result = await node.rpc<unknown>(method, ...params);
      return {
        result: method === "eth_getTransactionReceipt" ? { ...(result as object), blockHash: `0x${"0".repeat(64)}` } : result,
      };
    });
    proxies.push(proxy);
    const wallet = await open({ rpcUrl: proxy.url });
    expect((await wallet.prove(await payToken(await wallet.ask()))).status).toBe(402);
    expect(await wallet.credit()).toBe(0);
  });

  it.each<Trouble>(["refuses", "fails", "babbles", "hangs", "errs", "confuses"])(
    "outage: 503 while the node %s, credited afterwards",
    async (trouble) => {
      const proxy = await startRpc(async (method, params) => ({ result: await node.rpc(method, ...params) }));
      proxies.push(proxy);
      const wallet = await open({ rpcUrl: proxy.url }, patience(trouble));
      const asked = await wallet.ask();
      const txHash = await payToken(asked);
      proxy.fail(trouble);
      const down = await wallet.prove(txHash);
      expect([down.status, down.headers.get("retry-after")]).toEqual([503, "10"]);
      expect((await wallet.payment(asked.body.error.payment.id)).status).toBe("pending");
      proxy.fail(undefined);
      expect((await wallet.prove(txHash)).status).toBe(200);
    },
  );

  it("node of another chain: nothing is credited through it", async () => {
    const wallet = await open({ chainId: 1 });
    const reply = await wallet.ask();
    expect([reply.status, reply.body.error.message]).toEqual([503, expect.stringContaining("serves chain 8453, not 1")]);
  });
});
