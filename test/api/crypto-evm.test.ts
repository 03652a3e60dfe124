import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { EvmNetwork } from "../../server/config/schema.ts";
import { instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { callData, type EvmNode, freshReceiver, selectors, startEvmNode } from "../helpers/evm.ts";
import { startRpc, type Trouble } from "../helpers/rpc-proxy.ts";
import { createTestClock, type Reply } from "../helpers/server.ts";

const minute = 60_000;

let node: EvmNode;
let token: string;
/** One for each server: each watches what comes to its own. */
let receiver: string;
const proxies: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  node = await startEvmNode();
  token = await node.deploy("Token");
}, 60_000);
afterAll(() => node.stop());
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

onBothDatabases("deposits on a real EVM node", (serve) => {
  /** An owner whose server watches the node; its clock begins at the newest block. */
  async function open(changes: Partial<EvmNetwork> = {}) {
    const clock = createTestClock((await node.now()) + 1000);
    receiver = freshReceiver();
    const base = {
      receiver,
      rpcUrl: node.url,
      usdc: token,
      chainId: 8453,
      finality: "finalized",
      confirmations: null,
      scanBlocks: 500,
    } as const;
    const server = await serve({
      clock,
      config: (config) => {
        config.sandbox = false;
        config.crypto.timeoutMs = 2_000;
        config.crypto.rates.ETH = 300_000;
        config.crypto.base = { ...base, ...changes };
      },
    });
    return openWallet(server);
  }

  const amountOf = (asked: Reply) => BigInt(instructionsOf(asked).maxAmountRequired);
  const payToken = (asked: Reply, { to = receiver, contract = token, by = 0n } = {}) =>
    node.send({ to: contract, data: callData(selectors.transfer, to, amountOf(asked) + by) });

  it("offers what is configured", async () => {
    const wallet = await open();
    const { crypto } = (await wallet.server.request("GET", "/info/server")).body.data.features;
    expect(crypto).toEqual([
      { chain: "base", currency: "USDC" },
      { chain: "base", currency: "ETH" },
    ]);
    expect((await wallet.ask(2000, "ethereum")).status).toBe(503);
    expect(instructionsOf(await wallet.ask())).toMatchObject({ asset: token, receiver });
  });

  it("credits a token transfer once", async () => {
    const wallet = await open();
    const txHash = await payToken(await wallet.ask(2000));
    const replies = [await wallet.prove(txHash), await wallet.prove(txHash.toUpperCase().replace("0X", "0x"))];
    expect(replies.map(({ status, body }) => [status, body.data?.creditedCents])).toEqual([
      [200, 2000],
      [200, 2000],
    ]);
    expect(await wallet.credit()).toBe(2000);
  });

  it("credits coins at the locked rate", async () => {
    const wallet = await open();
    const asked = await wallet.ask(2000, "base", "ETH");
    const txHash = await node.send({ to: receiver, value: amountOf(asked) });
    expect((await wallet.prove(txHash, "base", "ETH")).body.data.creditedCents).toBe(2000);
  });

  it("tells two transfers of one transaction apart", async () => {
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

    it("an NFT, whose event has a fourth topic", async () => {
      const usdc = await node.deploy("Collectible");
      const wallet = await open({ usdc });
      const txHash = await payToken(await wallet.ask(2000), { contract: usdc });
      expect([(await wallet.prove(txHash)).status, await wallet.credit()]).toEqual([422, 0]);
    });

    it("coins that a contract passed on", async () => {
      const wallet = await open();
      const asked = await wallet.ask(2000, "base", "ETH");
      const contract = await node.deploy("Wallet");
      const txHash = await node.send({ to: contract, value: amountOf(asked), data: callData(selectors.transfer, receiver, 0n) });
      expect((await wallet.prove(txHash, "base", "ETH")).status).toBe(422);
    });

    it.each(["0x12", "nonsense", `0x${"g".repeat(64)}`])("what is no hash: %s", async (txHash) => {
      const wallet = await open();
      await wallet.ask();
      expect((await wallet.prove(txHash)).body.error.details[0].field).toBe("txHash");
    });
  });

  it("keeps too little aside, and credits too much whole", async () => {
    const wallet = await open();
    const asked = await wallet.ask(2000);
    expect((await wallet.prove(await payToken(asked, { by: -1_000_000n }))).status).toBe(402);
    expect((await wallet.prove(await payToken(asked, { by: 1_000_000n }))).body.data.creditedCents).toBe(2100);
    expect([await wallet.credit(), await wallet.suspense(asked.body.error.payment.id)]).toEqual([2100, 1900]);
  });

  it("waits for confirmations, then credits without being asked", async () => {
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

  it("credits nothing when a reorganization takes the transaction back before it is final", async () => {
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

  it("credits nothing from a block that is not the chain's", async () => {
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
    "answers 503 while the node %s, and credits afterwards",
    async (trouble) => {
      const proxy = await startRpc(async (method, params) => ({ result: await node.rpc(method, ...params) }));
      proxies.push(proxy);
      const wallet = await open({ rpcUrl: proxy.url });
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

  it("takes nothing through a node of another chain", async () => {
    const wallet = await open({ chainId: 1 });
    const reply = await wallet.ask();
    expect([reply.status, reply.body.error.message]).toEqual([503, expect.stringContaining("serves chain 8453, not 1")]);
  });
});
