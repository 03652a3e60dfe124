import { afterEach, describe, expect, it } from "vitest";
import type { EvmNetwork } from "../../server/config/schema.ts";
import { asking, instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { callData, fileEvmNode, freshReceiver, selectors } from "../helpers/evm.ts";
import { firstAdmin, ledgerFaults } from "../helpers/factories.ts";
import { startRpc } from "../helpers/rpc-proxy.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const scan = 5 * minute;

interface Booked {
  status: string;
  note: string | null;
  owner_id: string | null;
  value_cents: number;
}

const deposits = (server: TestServer) =>
  server.deps.store.read((q) =>
    q.all<Booked>("SELECT status, note, owner_id, value_cents FROM crypto_deposits ORDER BY seen_at, tx_hash"),
  );

/** Fails the next transaction that writes to a table, as a process that ends would. */
function crashBefore({ deps }: TestServer, table: string): void {
  const { store } = deps;
  const write = store.write;
  store.write = (fn) =>
    write.call(store, (tx) => {
      const run = tx.run.bind(tx);
      tx.run = async (sql, ...values) => {
        if (!sql.includes(table)) return run(sql, ...values);
        store.write = write;
        throw new Error("the process ends here");
      };
      return fn(tx);
    }) as never;
}

onBothDatabases("deposits found by scanning", (serve) => {
  it("exact amount: pays its quote; submitting the transaction later gets the same 200", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    const txHash = await wallet.send(asked);
    await wallet.server.advance(scan);
    const { id } = asked.body.error.payment;
    expect([await wallet.credit(), (await wallet.payment(id)).status]).toEqual([2000, "completed"]);
    expect((await wallet.prove(txHash)).body.data).toMatchObject({ paymentId: id, creditedCents: 2000 });
    await wallet.server.advance(2 * hour);
    expect([await wallet.credit(), await wallet.received()]).toEqual([2000, 2000]);
    const { events } = (await wallet.owner.get("/events")).body.data;
    expect(events.filter(({ event }: { event: string }) => event === "payment.completed")).toHaveLength(1);
  });

  it("exact amount of an order: activates it", async () => {
    const wallet = await openWallet(await serve());
    const game = (await wallet.owner.createGame({ body: { name: "G", buildUrl: "https://example.com/b.zip" } })).game.id;
    const asked = await wallet.owner.post(`/games/${game}/playtests`, { quantity: 2 }, asking());
    await wallet.send(asked);
    await wallet.server.advance(scan);
    const [playtest] = (await wallet.owner.listPlaytests({ params: { gameId: game } })).playtests;
    expect([playtest!.status, await wallet.credit()]).toEqual(["active", 0]);
  });

  it.each([
    ["ETH", "base"],
    ["SOL", "solana"],
    ["USDC", "ethereum"],
  ])("scan: finds %s on %s", async (currency, chain) => {
    const wallet = await openWallet(await serve());
    await wallet.send(await wallet.ask(3000, chain, currency));
    await wallet.server.advance(scan);
    expect(await wallet.credit()).toBe(3000);
  });

  it("scan: waits until a transfer is final", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    await wallet.server.advance(scan - 30_000);
    await wallet.send(asked, { confirmations: 0 });
    await wallet.server.advance(30_000);
    const early = await wallet.credit();
    await wallet.server.advance(scan);
    expect([early, await wallet.credit()]).toEqual([0, 2000]);
  });

  it("scan: ignores a transfer that failed or went elsewhere", async () => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    await wallet.send(asked, { status: "reverted" });
    await wallet.send(asked, { to: "0x0000000000000000000000000000000000000001" });
    await wallet.server.advance(24 * hour);
    expect(await deposits(wallet.server)).toEqual([]);
  });

  it.each([
    [
      "a late one",
      async (wallet: Wallet, asked: Reply) => {
        await wallet.server.advance(16 * minute);
        await wallet.send(asked);
      },
      "late",
    ],
    [
      "a second one",
      async (wallet: Wallet, asked: Reply) => {
        await wallet.prove(await wallet.send(asked));
        await wallet.send(asked);
      },
      "again",
    ],
  ] as const)("keeps %s aside under its payment, once", async (_, pay, note) => {
    const wallet = await openWallet(await serve());
    const asked = await wallet.ask(2000);
    await pay(wallet, asked);
    await wallet.server.advance(3 * hour);
    expect((await deposits(wallet.server)).filter((one) => one.note !== null)).toEqual([
      { status: "suspense", note, owner_id: wallet.owner.id, value_cents: 2000 },
    ]);
    expect(await wallet.suspense(asked.body.error.payment.id)).toBe(2000);
    expect(await ledgerFaults(wallet.server)).toEqual([]);
  });

  it("unknown amount: goes to suspense without an owner after the time to submit it", async () => {
    const wallet = await openWallet(await serve());
    const other = await openWallet(wallet.server);
    const asked = await wallet.ask(2000);
    await other.ask(2000);
    const txHash = await wallet.send(asked, { by: 700_000 });
    await wallet.server.advance(hour);
    const before = await deposits(wallet.server);
    await wallet.server.advance(24 * hour);
    expect(before).toEqual([]);
    expect(await deposits(wallet.server)).toEqual([{ status: "suspense", note: "unmatched", owner_id: null, value_cents: 2070 }]);
    expect([await wallet.received(), await wallet.credit(), await other.credit()]).toEqual([2070, 0, 0]);
    await wallet.ask();
    const named = await wallet.prove(txHash);
    expect([named.status, named.body.error.message]).toEqual([
      409,
      expect.stringContaining("not lost: it is held as an unmatched deposit"),
    ]);
    expect(await ledgerFaults(wallet.server)).toEqual([]);
  });

  it("inexact amount: credited to the owner who submits it in time", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(2000), { by: 200_000 });
    await wallet.server.advance(30 * minute);
    expect((await wallet.prove(txHash)).body.data.creditedCents).toBe(2020);
    await wallet.server.advance(24 * hour);
    expect((await deposits(wallet.server)).map(({ status }) => status)).toEqual(["credited"]);
  });

  it("dust: is ignored", async () => {
    const wallet = await openWallet(await serve());
    await wallet.send(await wallet.ask(2000), { amount: "9999" });
    await wallet.server.advance(24 * hour);
    expect(await deposits(wallet.server)).toEqual([]);
  });

  it("dust that is submitted: is credited to nobody, waits for nobody, and the reply says so", async () => {
    const wallet = await openWallet(await serve());
    const other = await openWallet(wallet.server);
    const txHash = await wallet.send(await wallet.ask(2000), { amount: "9999" });
    const says = "The deposit is worth less than a cent, which is too little to be credited.";
    const mine = await wallet.prove(txHash);
    expect([mine.status, mine.body.error.message]).toEqual([
      402,
      expect.stringMatching(new RegExp(`Nothing was credited\\. Pay the full amount in a new transaction\\. ${says}$`)),
    ]);
    const theirs = await other.prove(txHash);
    expect([theirs.status, theirs.body.error.message]).toEqual([
      409,
      `The transaction arrived, but nothing shows that you sent it. Nothing was credited. ${says}`,
    ]);
    const admin = await firstAdmin(wallet.server);
    const { items } = await admin.getInbox();
    expect(items.find(({ kind }) => kind === "unmatchedDeposits")!.count).toBe(0);
    expect((await admin.get("/admin/suspense")).body.data.suspense).toEqual([]);
    await wallet.server.advance(24 * hour);
    await wallet.owner.deleteAccount({ body: { password: "correct horse" } });
    expect(await ledgerFaults(wallet.server)).toEqual([]);
  });

  it("submitted and found at the same moment: posted once", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(2000));
    const [reply] = await Promise.all([wallet.prove(txHash), wallet.server.advance(scan)]);
    expect([reply.status, await wallet.credit(), await wallet.received()]).toEqual([200, 2000, 2000]);
  });
});

type Wallet = Awaited<ReturnType<typeof openWallet>>;

const { node, token, watching } = await fileEvmNode();

describe("real EVM node", () => {
  const proxies: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  const pay = (asked: Reply, by = 0n) => {
    const { receiver, maxAmountRequired } = instructionsOf(asked);
    return node.send({ to: token, data: callData(selectors.transfer, receiver, BigInt(maxAmountRequired) + by) });
  };

  onBothDatabases("deposits found by scanning", (serve) => {
    const open = async (changes: Partial<EvmNetwork> = {}) =>
      openWallet(await serve(await watching({ receiver: freshReceiver(), ...changes })));

    /** A way to the node that can be told to fail at a method. It refuses to read the logs of more than `scanBlocks` blocks at once. */
    async function openProxied({ scanBlocks = 500 } = {}) {
      let broken: string | undefined;
      let lost: string | undefined;
      const asked: string[] = [];
      const proxy = await startRpc(async (method, params) => {
        asked.push(method);
        if (method === broken) return { error: { code: -32000, message: "down" } };
        if (lost !== undefined && params[0] === lost) return { result: null };
        const [range] = params as { fromBlock: string; toBlock: string }[];
        if (method === "eth_getLogs" && Number(range!.toBlock) - Number(range!.fromBlock) >= scanBlocks)
          return { error: { code: -32005, message: "the range is too long" } };
        return { result: await node.rpc(method, ...params) };
      });
      proxies.push(proxy);
      const wallet = await open({ rpcUrl: proxy.url, scanBlocks });
      return {
        ...wallet,
        asked,
        breakAt: (method: string | undefined) => (broken = method),
        lose: (txHash?: string) => (lost = txHash),
      };
    }

    it("tokens and coins: each credited once", async () => {
      const wallet = await open();
      const usdc = await wallet.ask(2000);
      const eth = await wallet.ask(3000, "base", "ETH");
      await pay(usdc);
      const { receiver, maxAmountRequired } = instructionsOf(eth);
      const txHash = await node.send({ to: receiver, value: BigInt(maxAmountRequired) });
      await wallet.server.advance(scan);
      expect(await wallet.credit()).toBe(5000);
      await wallet.server.advance(hour);
      expect([await wallet.credit(), (await wallet.prove(txHash, "base", "ETH")).status]).toEqual([5000, 200]);
    });

    it("two transfers of one transaction: both credited", async () => {
      const wallet = await open();
      const [first, second] = [await wallet.ask(2000), await wallet.ask(3000)].map(instructionsOf);
      const signature = await node.rpc("web3_sha3", `0x${Buffer.from("transferTwice(address,uint256,uint256)").toString("hex")}`);
      const amounts = [first!, second!].map(({ maxAmountRequired }) => BigInt(maxAmountRequired));
      await node.send({ to: token, data: callData(signature.slice(2, 10), first!.receiver, ...amounts) });
      await wallet.server.advance(scan);
      expect(await wallet.credit()).toBe(5000);
    });

    it.each([1, 2, 7])("many blocks: scanned in ranges of at most %i", async (scanBlocks) => {
      const wallet = await openProxied({ scanBlocks });
      const [first, second] = [await wallet.ask(2000), await wallet.ask(3000)];
      await pay(first);
      await node.mine(60);
      await pay(second);
      // Each scan of a chain that is behind comes a second after the last one, and earlier tests left blocks.
      await wallet.server.advance(scan + hour);
      expect(await wallet.credit()).toBe(5000);
    });

    it("confirmations: awaited", async () => {
      const wallet = await open({ confirmations: 5 });
      await pay(await wallet.ask(2000));
      await wallet.server.advance(scan);
      const early = await wallet.credit();
      await node.mine(4);
      await wallet.server.advance(scan);
      expect([early, await wallet.credit()]).toEqual([0, 2000]);
    });

    it.each(["eth_getBlockByNumber", "eth_getLogs", "eth_getTransactionReceipt"])(
      "outage: retried while the node does not answer %s; quotes do not change",
      async (method) => {
        const wallet = await openProxied();
        const asked = await wallet.ask(2000);
        await pay(asked);
        wallet.breakAt(method);
        await wallet.server.advance(scan + 2 * minute);
        expect([await wallet.credit(), (await wallet.payment(asked.body.error.payment.id)).status]).toEqual([0, "pending"]);
        wallet.breakAt(undefined);
        await wallet.server.advance(2 * minute);
        expect(await wallet.credit()).toBe(2000);
      },
    );

    it("a transaction that the node does not return: tried again by itself, while the scan goes on", async () => {
      const wallet = await openProxied();
      wallet.lose(await pay(await wallet.ask(2000)));
      await pay(await wallet.ask(3000));
      await wallet.server.advance(scan);
      expect(await wallet.credit()).toBe(3000);
      await wallet.server.advance(hour);
      wallet.lose();
      await wallet.server.advance(2 * minute);
      expect([await wallet.credit(), wallet.server.errors]).toEqual([5000, []]);
    });

    it("a transaction that the node never returns: operators are told", async () => {
      const wallet = await openProxied();
      const txHash = await pay(await wallet.ask(2000));
      wallet.lose(txHash);
      // Beyond the blocks that later scans read again.
      await node.mine(30);
      await wallet.server.advance(7 * 24 * hour);
      const admin = await firstAdmin(wallet.server);
      const { jobs } = (await admin.get("/admin/jobs/failed")).body.data;
      expect(jobs).toMatchObject([{ kind: "book-deposit", about: { chain: "base", txHash } }]);
      expect(wallet.server.errors.splice(0).map(String)).toEqual(Array(25).fill(expect.stringContaining("does not return")));
    });

    it("coins paid in time: found after an outage that is longer than their amount is reserved", async () => {
      const wallet = await openProxied();
      await wallet.server.advance(0);
      const { receiver, maxAmountRequired } = instructionsOf(await wallet.ask(3000, "base", "ETH"));
      await node.send({ to: receiver, value: BigInt(maxAmountRequired) });
      const reserved = () => wallet.server.deps.store.read((q) => q.all("SELECT id FROM crypto_quotes WHERE reserved = 1"));
      wallet.breakAt("eth_getBlockByNumber");
      await wallet.server.advance(3 * hour);
      expect([await wallet.credit(), (await reserved()).length]).toEqual([0, 1]);
      wallet.breakAt(undefined);
      await wallet.server.advance(2 * scan);
      expect([await wallet.credit(), (await reserved()).length]).toEqual([3000, 0]);
    });

    it("interrupted before its position is stored: finds both deposits again and credits each once", async () => {
      const wallet = await openProxied();
      await wallet.server.advance(0);
      await pay(await wallet.ask(2000));
      const second = await pay(await wallet.ask(3000));
      crashBefore(wallet.server, "crypto_scans");
      await wallet.server.advance(scan);
      const crashes = wallet.server.errors.splice(0).map(String);
      expect(crashes).toEqual(["Error: the process ends here"]);
      await wallet.server.advance(hour);
      expect([await wallet.credit(), await wallet.received(), (await wallet.prove(second)).status]).toEqual([5000, 5000, 200]);
    });

    it("whole blocks: read only while a quote in coins is open", async () => {
      const wallet = await openProxied();
      await wallet.ask(2000);
      await node.mine(40);
      await wallet.server.advance(scan);
      const before = wallet.asked.length;
      await wallet.ask(2000, "base", "ETH");
      await node.rpc("evm_increaseTime", 600);
      await node.mine(40);
      await wallet.server.advance(scan);
      expect([before < 30, wallet.asked.length - before > 40]).toEqual([true, true]);
    });
  });
});
